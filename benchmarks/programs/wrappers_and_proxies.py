import torch
from torch import nn


class Wrapper:
    """Passes on what it does not have."""

    def __init__(self, model):
        self.__dict__["model"] = model
        self.__dict__["calls"] = 0

    def __getattr__(self, name):
        return getattr(self.model, name)

    def __call__(self, *args, **kwargs):
        self.__dict__["calls"] += 1
        return self.model(*args, **kwargs)


class Scheduled:
    def __init__(self, optimizer, rate):
        self.optimizer, self.rate, self.n = optimizer, rate, 0

    def __getattr__(self, name):
        return getattr(self.__dict__["optimizer"], name)

    def step(self):
        self.n += 1
        for g in self.optimizer.param_groups:
            g["lr"] = self.rate(self.n)
        self.optimizer.step()


class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, 1)
        self.register_buffer("steps", torch.zeros(1))

    def forward(self, x, scale=1.0):
        self.steps += 1
        return self.fc(x) * scale

    def penalty(self):
        return self.fc.weight.abs().sum()

    def clone(self):
        other = type(self)(self.fc.in_features)
        other.load_state_dict(self.state_dict())
        return other


torch.manual_seed(0)
net = Wrapper(Net(4))
opt = Scheduled(torch.optim.SGD(net.parameters(), lr=0.1), lambda n: 0.1 / n)
x = torch.randn(8, 4)
for i in range(3):
    loss = net(x, scale=2.0).pow(2).mean() + 0.1 * net.penalty()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(i, "%.6f" % loss.item(), net.steps.item())
print(net.calls, "%.5f" % net.clone()(torch.ones(1, 4)).item(), sorted(net.state_dict()))
