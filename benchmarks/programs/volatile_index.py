import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable


class Sparse(nn.Module):
    """Only rows above a threshold go through the network."""

    def __init__(self):
        super(Sparse, self).__init__()
        self.score = nn.Linear(4, 1)
        self.refine = nn.Linear(4, 4)

    def forward(self, x):
        mask = self.score(x).squeeze(1).data > 0
        ind = Variable(mask.nonzero().squeeze(1), volatile=True)
        out = x.clone()
        if len(ind) > 0:
            refined = F.relu(self.refine(x.index_select(0, ind)))
            out = out.index_add(0, ind, refined)
        return out * torch.sigmoid(self.score(x))


torch.manual_seed(0)
net = Sparse()
opt = torch.optim.SGD(net.parameters(), lr=0.5)
x = Variable(torch.randn(10, 4))
y = Variable(torch.randn(10, 4))
for i in range(4):
    loss = F.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(i, loss.item(), net.refine.weight.grad.abs().sum().item())
