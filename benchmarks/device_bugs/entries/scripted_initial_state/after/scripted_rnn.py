from typing import List, Tuple

import torch
import torch.nn as nn
from torch import Tensor


class LSTMCell(nn.Module):
    def __init__(self, input_size: int, hidden_size: int):
        super().__init__()
        self.gates = nn.Linear(input_size + hidden_size, 4 * hidden_size)

    def forward(self, x: Tensor, state: Tuple[Tensor, Tensor]) -> Tuple[Tensor, Tensor]:
        h, c = state
        i, f, g, o = self.gates(torch.cat([x, h], dim=1)).chunk(4, dim=1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c), c


class LSTMLayer(nn.Module):
    hidden_size: int

    def __init__(self, input_size: int, hidden_size: int):
        super().__init__()
        self.hidden_size = hidden_size
        self.cell = LSTMCell(input_size, hidden_size)

    def forward(self, inputs: Tensor) -> Tensor:
        h = torch.zeros(inputs.size(1), self.hidden_size, device=inputs.device)
        c = torch.zeros(inputs.size(1), self.hidden_size, device=inputs.device)
        outputs: List[Tensor] = []
        for x in inputs.unbind(0):
            h, c = self.cell(x, (h, c))
            outputs.append(h)
        return torch.stack(outputs)


class Echo(nn.Module):
    def __init__(self, hidden: int = 16):
        super().__init__()
        self.rnn = torch.jit.script(LSTMLayer(1, hidden))
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.out(self.rnn(x))


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Echo().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for step in range(9):
        x = torch.randn(10, 16, 1)
        y = x.roll(1, dims=0)
        y[0] = 0
        loss = nn.functional.mse_loss(model(x.to(device)), y.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 3 == 2:
            print(f"step {step + 1} mse {loss.item():.4f}")


if __name__ == "__main__":
    main()
