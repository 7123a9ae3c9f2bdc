import torch
import torch.nn as nn

from lookahead import Lookahead


def build(device):
    model = nn.Sequential(nn.Linear(3, 32), nn.ELU(), nn.Linear(32, 1)).to(device)
    optimizer = Lookahead(torch.optim.RMSprop(model.parameters(), lr=0.005))
    return model, optimizer


def surface(points):
    return (points[:, :1] ** 2 - points[:, 1:2] * points[:, 2:]).tanh()


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model, optimizer = build(device)
    for step in range(1, 13):
        points = torch.rand(64, 3, device=device) * 2 - 1
        loss = nn.functional.smooth_l1_loss(model(points), surface(points))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 4 == 0:
            print(f"{step:3d} {loss.item():.5f}")


if __name__ == "__main__":
    main()
