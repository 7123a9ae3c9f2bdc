# trap: a helper serves the Dataset and the training loop; a device inside it reaches the workers
# covers: dataset
# fails today: a helper that `__getitem__` calls gets a device
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def ramp(length):
    return torch.arange(length, dtype=torch.float32) / length  # stays


class Ramps(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, index):
        return ramp(5) * index  # stays


model = nn.Linear(5, 5).to(device)
for batch in DataLoader(Ramps(), batch_size=3):  # moves
    gap = model(batch) - ramp(5)  # moves
    print(tuple(gap.shape))
