# trap: the call of a class's own `.cuda()` under a guard is the user's, not torch's
# covers: user-cuda
import torch
from torch import nn


class Sample:
    def __init__(self, values):
        self.values = values

    def cuda(self):
        return Sample([value + 1 for value in self.values])


sample = Sample([1.0, 2.0])
if torch.cuda.is_available():
    sample = sample.cuda()  # stays
picked = sample.cuda() if torch.cuda.is_available() else sample  # stays
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(2, 1).to(device)
print(len(picked.values), model(torch.tensor([picked.values])).shape)  # moves
