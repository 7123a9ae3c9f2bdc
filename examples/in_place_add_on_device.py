# `+=` on two tensors of one device. Nothing is wrong here: it runs on the CPU and on a GPU, and an
# in-place operator never brings a tensor back to the CPU.
import torch

if torch.cuda.is_available():
    device = torch.device("cuda")
else:
    device = torch.device("cpu")

torch.manual_seed(11)

# A population of leaky neurons: charge leaks away, input comes in, full ones fire.
leak = 0.9
charge = torch.zeros(1000, device=device)
fired = torch.zeros(1000, device=device)

for step in range(1, 101):
    current = 0.3 * torch.rand(1000, device=device)
    charge *= leak
    charge += current
    spikes = (charge > 1.6).float()
    fired += spikes
    charge *= 1 - spikes
    if step % 25 == 0:
        print(f"step {step:3d}  mean charge {charge.mean().item():.4f}")

print(f"spikes {int(fired.sum().item())}, busiest neuron {int(fired.max().item())}")
