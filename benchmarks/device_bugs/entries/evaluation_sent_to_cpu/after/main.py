import torch
import torch.nn as nn
import torch.optim as optim
from torch.utils.data import DataLoader, TensorDataset


class Model(nn.Module):
    def __init__(self, features=10, hidden=48):
        super(Model, self).__init__()
        self.layer1 = nn.Linear(features, hidden)
        self.layer2 = nn.Linear(hidden, hidden)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        x = torch.relu(self.layer1(x))
        x = torch.relu(self.layer2(x))
        return self.out(x).squeeze(1)


def friedman(count, seed):
    x = torch.rand(count, 10, generator=torch.Generator().manual_seed(seed))
    y = torch.sin(3.1416 * x[:, 0] * x[:, 1]) + 2 * (x[:, 2] - 0.5) ** 2 + x[:, 3] + x[:, 4] / 2
    return TensorDataset(x, y)


def test(model, loader, device):
    model.eval()
    squared, total = 0.0, 0
    with torch.no_grad():
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            squared += (model(x) - y).pow(2).sum().item()
            total += len(x)
    return squared / total


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    train_loader = DataLoader(friedman(128, seed=1), batch_size=32)
    test_loader = DataLoader(friedman(256, seed=2), batch_size=64)
    model = Model().to(device)
    optimizer = optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(4):
        model.train()
        for x, y in train_loader:
            x, y = x.to(device), y.to(device)
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        score = test(model, test_loader, device)
        print("epoch {}: train {:.4f} test {:.4f}".format(epoch, loss.item(), score))


if __name__ == "__main__":
    main()
