# trap: weights are set from data with the module's own layers, and only then it moves
# covers: timing init-local
import torch
from torch import nn


class Whitening(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.layer = nn.Linear(size, size)

    @torch.no_grad()
    def fit(self, rows):
        # --- stays
        centred = rows - rows.mean(0)
        spread = centred.std(0) + torch.full((rows.size(1),), 1e-3)
        self.layer.weight.copy_(torch.diag(1 / spread))
        self.layer.bias.copy_(-rows.mean(0) / spread)
        return self.layer(rows).mean().abs().item()
        # --- end

    def forward(self, x):
        return self.layer(x)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
rows = torch.tensor([[1.0, 2.0], [3.0, 5.0], [5.0, 8.0]])  # stays
model = Whitening(2)
print(model.fit(rows) < 1)  # stays
model = model.to(device)
print(model(torch.ones(1, 2)).shape)  # moves
