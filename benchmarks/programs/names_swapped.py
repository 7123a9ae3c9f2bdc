import torch
from torch import nn

torch.manual_seed(6)
current, previous = torch.zeros(2, 3), torch.ones(2, 3)
cell = nn.GRUCell(3, 3)
other = nn.GRUCell(3, 3)
for t in range(5):
    x = torch.randn(2, 3)
    current, previous = cell(x, previous), current
    if t % 2:
        cell, other = other, cell
    previous, current = current, previous
    print(t, "%.5f %.5f" % (current.sum().item(), previous.sum().item()))
a = torch.randn(3, 3)
b = a.t()
a, b = b @ a, a - b
x, (y, z) = a.sum(), (b.mean(), torch.ones(3, 3) + b)
print(x.item(), y.item(), z.diag().tolist())
x, y = torch.randn(4, 3), x
out = cell(x, torch.zeros(4, 3))
x, out = out, x * y.item()
print("%.5f %.5f" % (x.sum().item(), out.sum().item()))
first, *rest = torch.unbind(torch.arange(12.).view(4, 3))
for r in rest:
    first, r = r, first
    print((cell(first[None], r[None]) - r).sum().item())
