# trap: a cached property that `__getitem__` reads
# covers: cache dataset
from functools import cached_property

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Patches(Dataset):
    # --- stays
    @cached_property
    def frame(self):
        border = torch.zeros(3, 3)
        border[1, 1] = 1.0
        return border

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return self.frame.flatten() * index

    # --- end


model = nn.Linear(9, 1).to(device)
for patch in DataLoader(Patches(), batch_size=2):  # moves
    print(model(patch).shape)
