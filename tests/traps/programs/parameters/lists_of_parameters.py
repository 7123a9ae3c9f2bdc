# trap: factories that become Parameters of a list and of a dictionary
# covers: parameter
import torch
from torch import nn


class Mixture(nn.Module):
    # --- stays
    def __init__(self, parts, size):
        super().__init__()
        self.centres = nn.ParameterList([nn.Parameter(torch.full((size,), k + 0.5)) for k in range(parts)])
        self.shared = nn.ParameterDict({"scale": nn.Parameter(torch.ones(size))})

    # --- end

    def forward(self, x):
        gaps = [((x - centre) * self.shared["scale"]).pow(2).sum(1) for centre in self.centres]
        return torch.stack(gaps, 1).argmin(1)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Mixture(3, 2).to(device)
print(model(torch.tensor([[0.0, 0.1], [2.2, 2.0]])).tolist())  # moves
