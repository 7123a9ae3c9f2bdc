# trap: the body of a class runs before there is a device; the use follows its input
# covers: class-level
import torch
from torch import nn


class Grey(nn.Module):
    WEIGHTS = torch.tensor([0.3, 0.6, 0.1])  # stays
    levels = torch.linspace(0, 1, 5)  # stays

    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(1))  # stays

    def forward(self, image):
        grey = (image * self.WEIGHTS.view(3, 1, 1)).sum(1)  # moves
        return grey * self.gain


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Grey().to(device)
print(model(torch.ones(2, 3, 2, 2, device=device)).shape, Grey.levels.tolist())  # stays
