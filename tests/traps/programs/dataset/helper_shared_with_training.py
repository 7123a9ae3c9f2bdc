# trap: a helper serves the Dataset and the training loop; a device inside it reaches the workers
# covers: dataset
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def ramp(length):  # stays or: def ramp(length, device=None):
    return torch.arange(length, dtype=torch.float32) / length  # stays or: return torch.arange(length, dtype=torch.float32, device=device) / length


class Ramps(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, index):
        return ramp(5) * index  # stays


model = nn.Linear(5, 5).to(device)
for batch in DataLoader(Ramps(), batch_size=3):  # moves
    print(len(batch))
    gap = model(batch) - ramp(5)  # moves
    print(tuple(gap.shape))
