import numpy as np
import torch
import torch.nn as nn


class MultiTask(nn.Module):
    def __init__(self, features, num_classes, hidden=24):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(features, hidden), nn.ReLU())
        self.heads = nn.ModuleList()
        for classes in num_classes:
            self.heads.append(nn.Linear(hidden, classes))

    def all_parameters(self):
        yield from self.trunk.parameters()
        for head in self.heads:
            yield from head.parameters()

    def forward(self, x):
        shared = self.trunk(x)
        return [head(shared) for head in self.heads]


def make_arrays(rng, count, features, num_classes):
    x = rng.randn(count, features).astype(np.float32)
    labels = [(np.abs(x[:, i]) * 2).astype(np.int64) % c for i, c in enumerate(num_classes)]
    return x, labels


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    num_classes = [3, 2, 4]
    x, labels = make_arrays(np.random.RandomState(0), 90, 8, num_classes)
    x = torch.from_numpy(x).to(device)
    labels = [torch.from_numpy(label).to(device) for label in labels]
    model = MultiTask(8, num_classes).to(device)
    optimizer = torch.optim.Adam(model.all_parameters(), lr=0.01)
    for epoch in range(4):
        order = np.random.RandomState(epoch).permutation(len(x))
        for start in range(0, len(x), 30):
            index = torch.from_numpy(order[start:start + 30]).to(device)
            outputs = model(x[index])
            losses = [
                nn.functional.cross_entropy(out, label[index]) for out, label in zip(outputs, labels)
            ]
            optimizer.zero_grad()
            sum(losses).backward()
            optimizer.step()
        print(epoch, " ".join(f"{loss.item():.4f}" for loss in losses))


if __name__ == "__main__":
    main()
