import argparse

import torch
import torch.nn as nn


class RelShiftAttention(nn.Module):
    """Attention with Transformer-XL's shift of relative scores."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.dim = dim // heads
        self.q = nn.Linear(dim, dim, bias=False)
        self.k = nn.Linear(dim, dim, bias=False)
        self.v = nn.Linear(dim, dim, bias=False)
        self.r = nn.Parameter(torch.zeros(64, heads, dim // heads))
        nn.init.normal_(self.r, std=0.1)

    @staticmethod
    def rel_shift(x, klen):
        q, r, b, n = x.shape
        x = x.reshape(r, q, b, n)[1:]
        x = x.reshape(q, r - 1, b, n)
        return torch.index_select(x, 1, torch.arange(klen))

    def forward(self, h):
        length, batch, _ = h.shape
        shape = (length, batch, self.heads, self.dim)
        q, k, v = (layer(h).view(shape) for layer in (self.q, self.k, self.v))
        content = torch.einsum("ibnd,jbnd->ijbn", q, k)
        position = torch.einsum("ibnd,jnd->ijbn", q, self.r[:2 * length])
        score = content + self.rel_shift(position, klen=length)
        weight = torch.softmax(score / self.dim ** 0.5, dim=1)
        return torch.einsum("ijbn,jbnd->ibnd", weight, v).flatten(2)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--length", type=int, default=12)
    parser.add_argument("--batch", type=int, default=3)
    args = parser.parse_args()
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    layer = RelShiftAttention(dim=24, heads=3).to(device)
    h = torch.randn(args.length, args.batch, 24, device=device)
    out = layer(h)
    out.pow(2).mean().backward()
    print(tuple(out.shape), f"{out.abs().mean().item():.4f}")
    print(f"grad {layer.r.grad.norm().item():.4f}")


if __name__ == "__main__":
    main()
