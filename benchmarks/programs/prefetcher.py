# run:
# run: --cuda
import itertools
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if "--cuda" in sys.argv and torch.cuda.is_available() else "cpu")


class Prefetcher:
    def __init__(self, loader):
        self.loader = iter(loader)
        self.mean = torch.tensor([0.5, 0.25])
        self.std = torch.tensor([2.0, 4.0])
        self.preload()

    def preload(self):
        try:
            self.next_input, self.next_target = next(self.loader)
        except StopIteration:
            self.next_input = self.next_target = None
            return
        self.next_input = self.next_input.sub_(self.mean).div_(self.std)

    def next(self):
        x, y = self.next_input, self.next_target
        if x is not None:
            self.preload()
        return x, y


def forever(loader):
    while True:
        yield from loader


torch.manual_seed(0)
data = TensorDataset(torch.rand(12, 2), torch.rand(12, 1))
loader = DataLoader(data, batch_size=4)
net = nn.Linear(2, 1).to(device)
opt = torch.optim.SGD(net.parameters(), lr=0.3)
for epoch in range(2):
    fetch = Prefetcher(loader)
    x, y = fetch.next()
    while x is not None:
        loss = (net(x.to(device)) - y.to(device)).abs().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        x, y = fetch.next()
    print(epoch, "%.6f" % loss.item())
for step, (x, y) in zip(range(5), forever(loader)):
    with torch.no_grad():
        print(step, "%.5f" % (net(x.to(device)).cpu() - y).abs().max().item())
a, b = itertools.tee(loader)
print(sum(len(x) for x, _ in a), torch.cat([y for _, y in b]).mean().item())
