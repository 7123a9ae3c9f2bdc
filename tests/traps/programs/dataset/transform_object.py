# trap: a transform looks like a layer, but the Dataset calls it, in a worker
# covers: dataset class-level
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Normalise:
    MEAN = torch.tensor([0.4, 0.5, 0.6])  # stays

    def __init__(self, spread):
        self.std = torch.tensor([spread] * 3)  # stays

    def __call__(self, image):
        return (image - self.MEAN[:, None]) / self.std[:, None] + torch.zeros(3, 1)  # stays


class Compose:
    def __init__(self, *steps):
        self.steps = steps

    def __call__(self, image):
        for step in self.steps:
            image = step(image)
        return image


class Pictures(Dataset):
    def __init__(self, transform=None):
        self.transform = transform

    def __len__(self):
        return 6

    def __getitem__(self, index):
        image = torch.full((3, 4), index / 6)  # stays
        if self.transform is not None:
            image = self.transform(image)
        return image, index % 2


model = nn.Sequential(nn.Flatten(), nn.Linear(12, 2)).to(device)
criterion = nn.CrossEntropyLoss()
for image, target in DataLoader(Pictures(Compose(Normalise(0.2))), batch_size=3):  # moves
    print(criterion(model(image), target).item() > 0)
