# trap: the training loop calls a method of the Dataset, too
# covers: dataset
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Notes(Dataset):
    def __init__(self):
        self.scale = torch.tensor([1.0, 0.5, 0.25])  # stays

    def __len__(self):
        return 6

    def spectrum(self, pitch):
        return torch.sin(torch.arange(1.0, 4.0) * pitch) * self.scale  # stays

    def __getitem__(self, index):
        return self.spectrum(index / 6)  # stays


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
notes = Notes()
model = nn.Linear(3, 1).to(device)
for x in DataLoader(notes, batch_size=3):  # moves
    print(model(x).shape)
print(model(notes.spectrum(0.3)).shape)  # moves
