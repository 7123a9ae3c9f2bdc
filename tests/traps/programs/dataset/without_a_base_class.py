# trap: a Dataset needs no base class; what makes it one is that a DataLoader gets it
# covers: dataset
import torch
from torch import nn
from torch.utils.data import DataLoader

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Pairs:
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    # --- stays
    def __getitem__(self, i):
        angle = torch.tensor(i / self.n)
        return torch.stack([angle.sin(), angle.cos()]), torch.arange(2).float() * angle

    # --- end


model = nn.Linear(2, 2).to(device)
total = 0.0
for x, y in DataLoader(Pairs(10), batch_size=5):  # moves
    total += nn.functional.l1_loss(model(x), y).item()
print(total > 0)
