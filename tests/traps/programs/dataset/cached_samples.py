# trap: a cache of samples lives in the Dataset, as they do
# covers: dataset cache
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Waves(Dataset):
    cache = {}

    def __len__(self):
        return 9

    # --- stays
    def __getitem__(self, index):
        if index not in self.cache:
            grid = torch.linspace(0, 6.28, 8)
            self.cache[index] = torch.sin(grid * (index + 1))
        return self.cache[index], torch.zeros(1).fill_(index)

    # --- end


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(8, 1).to(device)
for epoch in range(2):
    for wave, pitch in DataLoader(Waves(), batch_size=3):  # moves
        print(epoch, (model(wave) - pitch).abs().mean().item() > 0)
