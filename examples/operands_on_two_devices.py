# Heat spreads over a plate on the device; the heater that warms it was left on the CPU.
# CPU: prints temperatures. GPU: `plate + ...` raises "Expected all tensors to be on the same
# device" (PyTorch does not fall back to the CPU).
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(4)

plate = torch.zeros(48, 48).to(device)
heater = torch.rand(48, 48)


def laplacian(field: torch.Tensor) -> torch.Tensor:
    """The difference between each cell and its four neighbours, with wrap-around edges."""
    neighbours = field.roll(1, 0) + field.roll(-1, 0) + field.roll(1, 1) + field.roll(-1, 1)
    return neighbours - 4 * field


for step in range(1, 201):
    plate = plate + 0.2 * laplacian(plate) + 0.01 * heater
    if step % 50 == 0:
        print(f"step {step:3d}  mean {plate.mean().item():.4f}  max {plate.max().item():.4f}")

print(f"unevenness {plate.std().item():.5f}")
