# trap: buffers travel with their module; a device here would be a second transfer
# covers: buffer
import torch
from torch import nn


class CausalAttention(nn.Module):
    def __init__(self, size, length):
        super().__init__()
        self.qkv = nn.Linear(size, 3 * size)
        # --- stays
        self.register_buffer("mask", torch.tril(torch.ones(length, length)).view(1, length, length))
        inverse = 1.0 / (10000 ** (torch.arange(0, size, 2).float() / size))
        angles = torch.outer(torch.arange(length).float(), inverse)
        self.register_buffer("table", torch.cat([angles.sin(), angles.cos()], 1), persistent=False)
        self.steps: torch.Tensor
        self.register_buffer("steps", torch.zeros((), dtype=torch.long))
        # --- end

    def forward(self, x):
        self.steps += 1
        q, k, v = self.qkv(x + self.table[: x.size(1)]).chunk(3, -1)
        scores = q @ k.transpose(1, 2)
        scores = scores.masked_fill(self.mask[:, : x.size(1), : x.size(1)] == 0, float("-inf"))
        return scores.softmax(-1) @ v


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = CausalAttention(4, 6).to(device)
x = torch.ones(2, 5, 4)  # moves: x = torch.ones(2, 5, 4, device=device)
print(model(x).shape, model.steps.item())
