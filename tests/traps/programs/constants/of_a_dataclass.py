# trap: fields of a dataclass, made by a factory function for every record
# covers: class-level default-argument
from dataclasses import dataclass, field

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


# --- stays
@dataclass
class Track:
    name: str
    position: torch.Tensor = field(default_factory=lambda: torch.zeros(2))
    history: list = field(default_factory=list)

    def step(self, velocity):
        self.position = self.position + torch.tensor(velocity)
        self.history.append(self.position.tolist())


track = Track("a")
track.step([1.0, 0.5])
track.step([0.5, 0.5])
# --- end
model = nn.Linear(2, 1).to(device)
print(model(torch.tensor(track.history)).shape)  # moves
