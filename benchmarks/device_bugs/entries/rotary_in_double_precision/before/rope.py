import torch
import torch.nn as nn


def best_device():
    if torch.backends.mps.is_available():
        return torch.device("mps")
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def rotary_table(length, dim, device, theta=10000.0):
    scale = torch.arange(0, dim, 2, dtype=torch.float64, device=device) / dim
    omega = 1.0 / theta ** scale
    positions = torch.arange(length, dtype=torch.float64, device=device)
    angles = torch.outer(positions, omega)
    return torch.stack([angles.cos(), angles.sin()], dim=-1).float()


def apply_rotary(x, table):
    pairs = x.reshape(*x.shape[:-1], -1, 2)
    cos, sin = table[..., 0], table[..., 1]
    a, b = pairs[..., 0], pairs[..., 1]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)


class Attention(nn.Module):
    def __init__(self, dim=16, heads=2):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        table = rotary_table(n, d // self.heads, x.device)
        q, k = apply_rotary(q, table), apply_rotary(k, table)
        weights = torch.softmax(q @ k.transpose(-2, -1) / q.size(-1) ** 0.5, dim=-1)
        return self.out((weights @ v).transpose(1, 2).flatten(2))


def main():
    torch.manual_seed(0)
    device = best_device()
    model = Attention().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
    x = torch.randn(3, 10, 16).to(device)
    for step in range(4):
        loss = nn.functional.mse_loss(model(x), x.roll(1, dims=1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}: {loss.item():.4f}")


if __name__ == "__main__":
    main()
