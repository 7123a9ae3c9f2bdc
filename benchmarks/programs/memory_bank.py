import torch
import torch.nn as nn
import torch.nn.functional as F


class Bank(nn.Module):
    def __init__(self, n, dim, momentum=0.5):
        super().__init__()
        self.memory = F.normalize(torch.randn(n, dim))
        self.momentum = momentum
        self.labels = torch.arange(n) % 4
        self.pointer = 0
        self.params = torch.tensor([0.07, -1.0, momentum])

    def forward(self, features, index):
        t = self.params[0].item()
        logits = features @ self.memory.clone().t() / t
        self.update(features.detach(), index)
        return logits

    def update(self, features, index):
        old = self.memory.index_select(0, index)
        new = F.normalize(old * self.momentum + features * (1 - self.momentum))
        self.memory.index_copy_(0, index, new)

    def enqueue(self, keys):
        n = keys.size(0)
        self.memory[self.pointer:self.pointer + n] = keys
        self.pointer = (self.pointer + n) % self.memory.size(0)


torch.manual_seed(0)
bank = Bank(16, 8)
net = nn.Linear(5, 8)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
data = torch.randn(16, 5)
for epoch in range(3):
    for index in torch.randperm(16).split(4):
        f = F.normalize(net(data[index]))
        loss = F.cross_entropy(bank(f, index), index)
        opt.zero_grad()
        loss.backward()
        opt.step()
    bank.enqueue(f.detach())
    print(epoch, "%.6f" % loss.item(), "%.6f" % bank.memory.sum().item(), bank.labels[index].tolist())
