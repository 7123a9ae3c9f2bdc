"""A mixture of experts: a gate sends each row to one of three networks in a dict."""
import torch
from torch import nn


class Mixture(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(4, 3)
        self.experts = nn.ModuleDict({name: nn.Linear(4, 2) for name in "abc"})
        self.register_buffer("load", torch.zeros(3))

    def forward(self, x):
        chances = self.gate(x).softmax(dim=1)
        best = chances.argmax(dim=1)
        out = x.new_zeros(len(x), 2)
        for number, expert in enumerate(self.experts.values()):
            rows = (best == number).nonzero()[:, 0]
            out[rows] = expert(x[rows]) * chances[rows, number, None]
            self.load[number] += len(rows)
        return out


torch.manual_seed(65)
model = Mixture()
gates, others = model.gate.parameters(), model.experts.parameters()
optimizer = torch.optim.SGD([{"params": others, "lr": 0.5}, {"params": gates, "lr": 0.05}])
criterion = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 3.0]))
for step in range(8):
    x = torch.randn(30, 4)
    kinds = (x[:, 0] * x[:, 1] > 0.5).long()
    loss = criterion(model(x), kinds)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("load", model.load.tolist())
torch.save(model.state_dict(), "mixture.pt")
