import torch
import unseen
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(3, 2)
        self.scale = torch.ones(2)
    def rescale(self, scale):
        self.scale = scale
    def forward(self, x):
        return self.fc(x) * self.scale
net = Net()
print(net(torch.ones(4, 3)).sum().item())
net.rescale(unseen.hold(2.0))
print(net(torch.ones(4, 3)).sum().item())
