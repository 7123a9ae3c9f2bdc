import torch
import torch.nn as nn

from offload import BlockSwap


class Block(nn.Module):
    def __init__(self, dim, length):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))
        distance = torch.arange(length)[:, None] - torch.arange(length)[None, :]
        self.register_buffer("bias", -0.1 * distance.abs().float())

    def forward(self, x):
        q, k, v = self.qkv(self.norm(x)).chunk(3, dim=-1)
        scores = q @ k.transpose(1, 2) / x.size(-1) ** 0.5 + self.bias
        return x + self.mlp(torch.softmax(scores, dim=-1) @ v)


class Generator(nn.Module):
    def __init__(self, dim=16, length=12, depth=3):
        super().__init__()
        self.inp = nn.Linear(4, dim)
        self.blocks = nn.ModuleList([Block(dim, length) for _ in range(depth)])
        self.out = nn.Linear(dim, 4)

    def forward(self, x):
        x = self.inp(x)
        for block in self.blocks:
            x = block(x)
        return self.out(x)


@torch.no_grad()
def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Generator().eval()
    model.inp.to(device)
    model.out.to(device)
    BlockSwap(model.blocks, device)
    x = torch.randn(2, 12, 4, device=device)
    for step in range(3):
        x = x - 0.3 * model(x)
        print(f"step {step} mean {x.mean().item():.4f} norm {x.norm().item():.4f}")


if __name__ == "__main__":
    main()
