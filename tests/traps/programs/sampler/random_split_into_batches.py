# trap: a batch sampler draws a permutation and splits it
# covers: sampler sampler-iter
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, Sampler

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Buckets(Sampler):
    # --- stays
    def __init__(self, lengths, size):
        self.order = torch.tensor(lengths).argsort()
        self.size = size

    def __len__(self):
        return len(self.order) // self.size

    def __iter__(self):
        chunks = self.order.split(self.size)
        for k in torch.randperm(len(chunks)):
            yield chunks[k].tolist()

    # --- end


class Lines(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, i):
        return torch.ones(3) * i  # stays


torch.manual_seed(0)
model = nn.Linear(3, 2).to(device)
for x in DataLoader(Lines(), batch_sampler=Buckets([3, 1, 2, 6, 5, 4], 2)):  # moves
    print(model(x).shape)
