import multiprocessing

import torch
from torch import nn

torch.set_num_threads(1)
SEEDS = range(4)
scale = torch.tensor([1.0, 2.0, 3.0])


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(3, 1)

    def forward(self, x):
        return self.l(x * scale)


def fit(seed):
    torch.manual_seed(seed)
    net = Net()
    opt = torch.optim.SGD(net.parameters(), lr=0.01)
    x = torch.randn(16, 3)
    y = x.sum(1, keepdim=True)
    for _ in range(5):
        loss = (net(x) - y).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    return seed, loss.item(), net.l.weight.detach().numpy().tolist()


if __name__ == "__main__":
    torch.manual_seed(100)
    first = Net()
    print("parent %.6f" % first(torch.ones(1, 3)).item())
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for seed, loss, weights in pool.map(fit, SEEDS):
            print(seed, "%.6f" % loss, ["%.4f" % w for w in weights[0]])
