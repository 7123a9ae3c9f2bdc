import torch
from torch import nn


class Experts(nn.Module):
    def __init__(self, names, dim):
        super().__init__()
        self.names = names
        self.experts = {name: nn.Linear(dim, dim) for name in names}
        self.gate = nn.Linear(dim, len(names))
        self.scale = (nn.Parameter(torch.ones(dim)), nn.Parameter(torch.zeros(dim)))

    def forward(self, x):
        g = torch.softmax(self.gate(x), -1)
        out = torch.zeros_like(x)
        for i, name in enumerate(self.names):
            out = out + g[:, i:i + 1] * self.experts[name](x)
        return out * self.scale[0] + self.scale[1]

    def extra_parameters(self):
        for e in self.experts.values():
            yield from e.parameters()
        yield from self.scale


torch.manual_seed(11)
m = Experts(["a", "b", "c"], 5)
opt = torch.optim.Adam(list(m.parameters()) + list(m.extra_parameters()), lr=0.02)
x = torch.randn(12, 5)
for i in range(4):
    loss = (m(x) - x.flip(1)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(i, f"{loss.item():.6f}")
