# trap: a dummy input is sent through layers in `__init__`, where they are still on the host
# covers: init-local
import torch
from torch import nn


class Convolutions(nn.Module):
    def __init__(self, shape):
        super().__init__()
        # --- stays
        self.features = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.MaxPool2d(2))
        with torch.no_grad():
            size = self.features(torch.zeros(1, *shape)).numel()
        self.classifier = nn.Linear(size, 3)
        # --- end

    def forward(self, x):
        return self.classifier(self.features(x).flatten(1))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Convolutions((1, 8, 8)).to(device)
image = torch.ones(2, 1, 8, 8)  # moves: image = torch.ones(2, 1, 8, 8, device=device)
print(net(image).shape)
