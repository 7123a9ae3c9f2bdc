# trap: a Sampler that returns `iter(torch.tensor(...))`: indices on a device cost a transfer each
# covers: sampler sampler-iter
import torch
from torch import nn
from torch.utils.data import DataLoader, Sampler, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class EveryOther(Sampler):
    def __init__(self, count):
        self.count = count

    def __iter__(self):
        return iter(torch.tensor(range(0, self.count, 2)))  # stays

    def __len__(self):
        return self.count // 2


data = TensorDataset(torch.arange(16).float().view(8, 2))  # stays
model = nn.Linear(2, 1).to(device)
for (x,) in DataLoader(data, batch_size=2, sampler=EveryOther(8)):  # moves
    print(model(x).shape)
