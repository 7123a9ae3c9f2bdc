import torch
import torch.nn as nn
import torch.nn.functional as F

from cell import GConvGRU


class Forecaster(nn.Module):
    def __init__(self, features=2, hidden=16):
        super().__init__()
        self.recurrent = GConvGRU(features, hidden)
        self.linear = nn.Linear(hidden, 1)

    def forward(self, sequence, adjacency):
        h = None
        for x in sequence:
            h = self.recurrent(x, adjacency, h)
        return self.linear(F.relu(h)).squeeze(1)


def ring(nodes):
    a = torch.eye(nodes) + torch.roll(torch.eye(nodes), 1, 0) + torch.roll(torch.eye(nodes), -1, 0)
    return a / a.sum(1, keepdim=True)


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    adjacency = ring(10).to(device)
    model = Forecaster().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for epoch in range(5):
        sequence = torch.randn(4, 10, 2)
        target = sequence[..., 0].mean(0)
        prediction = model(sequence.to(device), adjacency)
        loss = F.mse_loss(prediction, target.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"epoch {epoch} mse {loss.item():.4f}")


if __name__ == "__main__":
    main()
