import torch
import torch.nn as nn
import torch.nn.functional as F

from ema import ModelEma


class SmallNet(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3, padding=1, bias=False)
        self.bn = nn.BatchNorm2d(8)
        self.head = nn.Linear(8, classes)

    def forward(self, x):
        return self.head(F.relu(self.bn(self.conv(x))).amax(dim=(2, 3)))


def batches(n):
    for _ in range(n):
        y = torch.randint(0, 3, (16,))
        yield torch.randn(16, 1, 8, 8) * (y + 1).view(-1, 1, 1, 1), y


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = SmallNet()
    ema = ModelEma(model)
    model.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in batches(10):
        loss = F.cross_entropy(model(x.to(device)), y.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        ema.update(model)
    x, y = next(batches(1))
    with torch.no_grad():
        averaged = F.cross_entropy(ema.ema(x.to(device)), y.to(device))
    print(f"train {loss.item():.4f} averaged {averaged.item():.4f}")


if __name__ == "__main__":
    main()
