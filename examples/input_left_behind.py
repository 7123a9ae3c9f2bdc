# The model is moved to the device, its input stays where `torch.randn` created it.
# CPU: trains and prints. GPU: the first forward pass raises "Expected all tensors to be on the
# same device".
import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

inputs = torch.randn(256, 8)
targets = 2.0 * inputs[:, :1] - torch.sin(inputs[:, 1:2])

model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1)).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

for step in range(1, 201):
    loss = nn.functional.mse_loss(model(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 0:
        print(f"step {step:3d}  loss {loss.item():.4f}")

model.eval()
with torch.no_grad():
    error = (model(inputs) - targets).abs().mean()
print(f"mean absolute error {error.item():.4f}")
