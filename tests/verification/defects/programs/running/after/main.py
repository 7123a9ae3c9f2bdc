"""A layer that keeps a running mean, and what is in its state."""
import torch
from torch import nn


class Centre(nn.Module):
    """Takes the running mean of what it has seen from its input."""

    def __init__(self, size, momentum=0.2):
        super().__init__()
        self.momentum = momentum
        self.register_buffer("mean", torch.zeros(size))
        self.register_buffer("seen", torch.tensor(0))

    def forward(self, x):
        if self.training:
            self.mean.mul_(1 - self.momentum).add_(self.momentum * x.detach().mean(dim=0))
            self.seen += x.size(0)
        return x - self.mean


torch.manual_seed(6)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(Centre(4), nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 1)).to(device)
average = torch.optim.swa_utils.AveragedModel(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

for step in range(8):
    x = 2 + torch.randn(20, 4, device=device)
    wanted = x.prod(dim=1, keepdim=True).tanh()
    loss = (model(x) - wanted).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    average.update_parameters(model)

model.eval()
for name, value in model.state_dict().items():
    print(name, value)
print("together", sum(value.numel() for value in model.state_dict().values()))
with torch.no_grad():
    probe = torch.full((1, 4), 2.0, device=device)
    print("average says", average(probe).item(), "model says", model(probe).item())
