import torch
import torch.nn as nn

from memory_bank import NTXentLoss


def main():
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    encoder = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 16)).to(device)
    criterion = NTXentLoss().to(device)
    optimizer = torch.optim.SGD(encoder.parameters(), lr=0.1, momentum=0.9)
    for step in range(6):
        x = torch.randn(8, 10)
        first = (x + 0.1 * torch.randn_like(x)).to(device)
        second = (x + 0.1 * torch.randn_like(x)).to(device)
        loss = criterion(encoder(first), encoder(second))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}: {loss.item():.4f}")


if __name__ == "__main__":
    main()
