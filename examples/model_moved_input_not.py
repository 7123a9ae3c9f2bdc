# A curve is fitted by a model on the device, from points that were created on the CPU.
# CPU: prints the fit. GPU: the first forward pass raises; once the points are moved, `.numpy()`
# raises too, because NumPy cannot read a GPU's memory.
import numpy as np
import torch
from torch import nn


class Curve(nn.Module):
    """A small network from one number to one number."""

    def __init__(self, hidden: int = 24) -> None:
        super().__init__()
        self.hidden = nn.Linear(1, hidden)
        self.output = nn.Linear(hidden, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.output(torch.tanh(self.hidden(x)))


torch.manual_seed(7)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Curve()
model.to(device)

x = torch.linspace(-3, 3, 120).unsqueeze(1)
y = torch.sin(2 * x)

optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
for step in range(1, 401):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 0:
        print(f"step {step}  loss {loss.item():.4f}")

fitted = model(x).detach().numpy()
print(f"largest error {np.abs(fitted - y.numpy()).max():.3f}")
