import torch
import torch.nn as nn

from encoding import PositionalEncoding


def target(coords):
    return torch.sin(9 * coords[:, :1]) * torch.cos(7 * coords[:, 1:])


def build(m=6):
    return nn.Sequential(
        PositionalEncoding(sigma=8.0, m=m), nn.Linear(4 * m, 64), nn.ReLU(), nn.Linear(64, 1)
    )


def main():
    torch.manual_seed(0)
    dev = torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")
    axis = torch.linspace(0, 1, 20)
    coords = torch.cartesian_prod(axis, axis).to(dev)
    values = target(coords)
    net = build().to(dev)
    optim = torch.optim.Adam(net.parameters(), lr=5e-3)
    for step in range(30):
        loss = nn.functional.mse_loss(net(coords), values)
        optim.zero_grad()
        loss.backward()
        optim.step()
        if step % 10 == 9:
            print(f"step {step + 1} mse {loss.item():.5f}")


if __name__ == "__main__":
    main()
