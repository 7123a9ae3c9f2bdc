import torch
from torch import nn
from torch.autograd import Function


class Quantize(Function):
    levels = torch.linspace(-1, 1, 5)

    @staticmethod
    def forward(ctx, x, temperature):
        d = (x.unsqueeze(-1) - Quantize.levels).abs()
        index = d.argmin(-1)
        ctx.save_for_backward(x, index)
        ctx.temperature = temperature
        return Quantize.levels[index], index

    @staticmethod
    def backward(ctx, grad, _):
        x, index = ctx.saved_tensors
        inside = (x.abs() <= 1).float()
        return grad * inside / ctx.temperature, None


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 6), nn.Linear(6, 2)
        self.usage = torch.zeros(5)

    def forward(self, x):
        q, index = Quantize.apply(torch.tanh(self.a(x)), 2.0)
        self.usage += torch.bincount(index.flatten(), minlength=5).float()
        return self.b(q)


torch.manual_seed(0)
net = Net()
opt = torch.optim.Adam(net.parameters(), 0.05)
x = torch.randn(10, 4)
for i in range(4):
    loss = (net(x) - x[:, :2]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(i, "%.6f" % loss.item(), net.usage.tolist())
