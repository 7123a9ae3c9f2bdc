# trap: methods that TorchScript compiles know no global names
# covers: torchscript
from typing import List

import torch
from torch import Tensor, nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Cell(nn.Module):
    def __init__(self, size: int):
        super().__init__()
        self.core = nn.Linear(2 * size, size)
        self.size = size

    def forward(self, x: Tensor) -> Tensor:
        # --- stays
        state = torch.zeros(x.size(1), self.size, dtype=x.dtype, device=x.device)
        outputs: List[Tensor] = []
        for step in range(x.size(0)):
            state = torch.tanh(self.core(torch.cat([x[step], state], 1)))
            outputs.append(state)
        return torch.stack(outputs)
        # --- end

    @torch.jit.ignore
    def describe(self) -> str:
        return f"{self.size} {torch.zeros(2).tolist()}"  # stays


cell = torch.jit.script(Cell(3)).to(device)
x = torch.ones(4, 2, 3)  # moves
print(cell(x).shape, cell.describe())
