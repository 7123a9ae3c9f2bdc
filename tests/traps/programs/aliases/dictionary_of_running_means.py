# trap: running means in a dictionary are written in place by a method; their dictionary is saved
# covers: alias on-purpose
import torch
from torch import nn


class Averages:
    def __init__(self, model, decay=0.5):
        # --- stays
        self.decay = decay
        self.shadow = {name: p.detach().clone().cpu() for name, p in model.named_parameters()}
        self.count = torch.zeros(1)
        # --- end

    def update(self, model):
        # --- stays
        self.count += 1
        for name, p in model.named_parameters():
            self.shadow[name].mul_(self.decay).add_(p.detach().cpu(), alpha=1 - self.decay)
        # --- end


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Linear(2, 1).to(device)
averages = Averages(model)
averages.update(model)
print(averages.count.item(), {k: tuple(v.shape) for k, v in averages.shadow.items()})  # stays
print(model(torch.ones(1, 2)).shape)  # moves
