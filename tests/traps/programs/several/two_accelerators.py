# trap: the halves of a model live on two devices
# covers: several-devices
# needs: cuda
import torch
from torch import nn


class Halves(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 4).to("cuda:0")
        self.second = nn.Linear(4, 2).to("cuda:1")  # stays or: self.second = nn.Linear(4, 2).to("cuda:1" if torch.cuda.is_available() else "cpu")

    def forward(self, x):
        x = self.first(x.to("cuda:0")).relu()
        return self.second(x.to("cuda:1"))  # stays or: return self.second(x.to("cuda:1" if torch.cuda.is_available() else "cpu"))


model = Halves()
target = torch.zeros(3, 2).to("cuda:1")  # stays or: target = torch.zeros(3, 2).to("cuda:1" if torch.cuda.is_available() else "cpu")
print(nn.functional.mse_loss(model(torch.ones(3, 4)), target).item() > 0)  # stays
