# trap: one-hot labels and padding made in `__getitem__` would be sent to the device by workers
# covers: dataset
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Digits(Dataset):
    def __init__(self, count):
        self.images = torch.linspace(0, 1, count * 16).view(count, 16)  # stays

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        # --- stays
        label = torch.zeros(4)
        label[index % 4] = 1.0
        weight = torch.tensor(1.0 + index)
        image = torch.cat([self.images[index], torch.ones(2)])
        # --- end
        return image, label, weight


model = nn.Linear(18, 4).to(device)
for image, label, weight in DataLoader(Digits(8), batch_size=4):  # moves
    loss = nn.functional.mse_loss(model(image), label, reduction="none").mean(1)
    print((loss * weight).sum().item() >= 0)
