# trap: a batch class moves itself in place; that its result is dropped is right
# covers: user-to
import torch
from torch import nn


class Batch:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def to(self, device):
        self.x = self.x.to(device)
        self.y = self.y.to(device)

    def __len__(self):
        return len(self.x)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(2, 2).to(device)
batch = Batch(torch.ones(3, 2), torch.tensor([0, 1, 1]))  # stays
batch.to(device)  # stays
print(len(batch), nn.functional.cross_entropy(model(batch.x), batch.y).item() > 0)  # stays
print(model(torch.zeros(1, 2)).shape)  # moves
