import torch
from torch import nn


class Task:
    def loss(self, out, batch):
        raise NotImplementedError

    def zeros(self, n):
        return torch.zeros(n)


class Regression(Task):
    def loss(self, out, batch):
        return (out - batch["y"]).pow(2).mean() + self.zeros(1).sum()


class Ranking(Task):
    def __init__(self, margin):
        self.margin = margin

    def zeros(self, n):
        return torch.full((n,), self.margin)

    def loss(self, out, batch):
        hinge = self.zeros(len(out)) - out.squeeze(1) * batch["y"].squeeze(1).sign()
        return hinge.clamp(min=0).mean()


class Counting(Task):
    """Has nothing of torch."""

    def zeros(self, n):
        return [0] * n

    def loss(self, out, batch):
        hits = self.zeros(2)
        for o in out:
            hits[int(o.item() > 0)] += 1
        return out.mean() * hits[0] / sum(hits)


torch.manual_seed(0)
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
tasks = {"r": Regression(), "k": Ranking(0.5), "c": Counting()}
x = torch.randn(8, 3)
batch = {"x": x, "y": x[:, :1] * 3}
for name in "rkcrkc":
    loss = tasks[name].loss(net(batch["x"]), batch)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(name, "%.6f" % loss.item())
print([t.zeros(2) if isinstance(t, Counting) else t.zeros(2).tolist() for t in tasks.values()])
