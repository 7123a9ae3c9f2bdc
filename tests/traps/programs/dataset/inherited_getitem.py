# trap: `__getitem__` is inherited; the helper it calls is defined in the subclass
# covers: dataset
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Synthetic(Dataset):
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return self.make(index)

    def make(self, index):
        raise NotImplementedError


class Rings(Synthetic):
    # --- stays
    def make(self, index):
        angle = torch.tensor(float(index))
        radius = torch.ones(1) * (1 + index % 2)
        return torch.stack([angle.cos(), angle.sin()]) * radius, torch.tensor(index % 2)

    # --- end


model = nn.Linear(2, 2).to(device)
for points, kinds in DataLoader(Rings(6), batch_size=3):  # moves
    print(nn.functional.cross_entropy(model(points), kinds).item() > 0)
