# moves
import torch
import unseen
class Net(torch.nn.Module):
    def __init__(self, d=3):
        super().__init__()
        self.fc = torch.nn.Linear(d, 2)
        self.w = torch.ones(2)
    def forward(self, x):
        return self.fc(x) * self.w
net = Net()
print(net(torch.ones(1, 3)).sum().item())
other = unseen.run(Net)
print(other(torch.ones(1, 3)).sum().item())
