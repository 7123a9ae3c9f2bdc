import torch
import torch.nn as nn


def two_devices():
    if torch.cuda.device_count() >= 2:
        return torch.device("cuda:0"), torch.device("cuda:1")
    only = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    return only, only


class Pipeline(nn.Module):
    """A deep network, cut in the middle."""

    def __init__(self, first, second, width=24, classes=3):
        super().__init__()
        self.first, self.second = first, second
        self.stem = nn.Sequential(nn.Linear(8, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()).to(first)
        self.body = nn.Sequential(nn.Linear(width, width), nn.ReLU()).to(second)
        self.skip = nn.Linear(width, width).to(second)
        self.head = nn.Linear(width, classes).to(second)

    def forward(self, x):
        h = self.stem(x.to(self.first)).to(self.second)
        return self.head(self.body(h) + self.skip(h))


def blobs(count):
    labels = torch.randint(0, 3, (count,))
    return torch.randn(count, 8) + labels.unsqueeze(1), labels


def main():
    torch.manual_seed(0)
    first, second = two_devices()
    model = Pipeline(first, second)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for step in range(8):
        x, y = blobs(32)
        out = model(x)
        loss = nn.functional.cross_entropy(out, y.to(out.device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 2:
            print(f"step {step + 1}: {loss.item():.4f}")


if __name__ == "__main__":
    main()
