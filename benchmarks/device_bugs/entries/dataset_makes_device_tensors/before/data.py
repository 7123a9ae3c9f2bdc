import torch
from torch.utils.data import Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Waves(Dataset):
    """Noisy sines of three frequencies."""

    def __init__(self, count, length=32):
        self.count = count
        self.length = length

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        label = index % 3
        t = torch.linspace(0, 6.2832, self.length)
        noise = torch.randn(self.length, generator=torch.Generator().manual_seed(index))
        wave = torch.sin(t * (label + 1)) + 0.2 * noise
        return wave.unsqueeze(0).to(device), torch.tensor(label).to(device)
