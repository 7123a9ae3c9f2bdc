# trap: constants in the body of a class that workers use
# covers: class-level dataset
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Satellite(Dataset):
    # --- stays
    MEAN = torch.tensor([0.1, 0.2])
    STD = torch.ones(2) * 0.5
    ORDER = torch.arange(2).flip(0)

    def __len__(self):
        return 4

    def __getitem__(self, index):
        bands = torch.full((2,), float(index))
        return ((bands - self.MEAN) / Satellite.STD)[self.ORDER]

    # --- end


model = nn.Linear(2, 1).to(device)
for x in DataLoader(Satellite(), batch_size=2):  # moves
    print(model(x).shape)
