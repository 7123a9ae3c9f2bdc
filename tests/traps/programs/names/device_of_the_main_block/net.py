import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.scale = torch.ones(2)

    def forward(self, x):
        return self.layer(x) * self.scale + torch.arange(2)  # stays or: return self.layer(x) * self.scale + torch.arange(2, device=x.device)

    def plain(self, count):
        return self.layer(torch.zeros(count, 2))  # stays or: return self.layer(torch.zeros(count, 2, device=self.layer.weight.device))


def ramp(count):
    return torch.arange(count)  # stays


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = Net().to(device)
    x = torch.ones(3, 2, device=device)
    print(net(x).shape, net.plain(3).shape)  # stays
