# moves
from dataclasses import dataclass, field
import torch
@dataclass
class State:
    h: torch.Tensor = field(default_factory=lambda: torch.zeros(1, 3))
    n: int = 0
model = torch.nn.Linear(3, 3)
s = State()
for _ in range(2):
    s.h = model(s.h)
print(s.h.sum().item())
