import copy
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


class EarlyStopping:
    def __init__(self, patience=2, path="best.pt"):
        self.patience, self.path = patience, path
        self.best, self.bad, self.state = None, 0, None

    def __call__(self, loss, model):
        if self.best is None or loss < self.best:
            self.best, self.bad = loss, 0
            self.state = copy.deepcopy(model.state_dict())
            torch.save(model.state_dict(), self.path)
        else:
            self.bad += 1
        return self.bad >= self.patience


def run(model, loader, criterion, optimizer=None):
    total, hits, n = 0.0, 0, 0
    model.train(optimizer is not None)
    with torch.set_grad_enabled(optimizer is not None):
        for x, y in loader:
            out = model(x)
            loss = criterion(out, y)
            if optimizer is not None:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            total += loss.item() * x.size(0)
            hits += (out.argmax(1) == y).sum().item()
            n += x.size(0)
    return total / n, hits / n


def main():
    torch.manual_seed(0)
    x = torch.randn(40, 4)
    data = TensorDataset(x, (x[:, 0] > 0).long())
    train, valid = random_split(data, [30, 10], generator=torch.Generator().manual_seed(1))
    model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.2), nn.ReLU(), nn.Linear(8, 2))
    weight = torch.tensor([1.0, 1.5])
    criterion = nn.CrossEntropyLoss(weight=weight)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0)
    stopper = EarlyStopping()
    for epoch in range(6):
        a = run(model, DataLoader(train, 10, shuffle=True), criterion, optimizer)
        b = run(model, DataLoader(valid, 10), criterion)
        scheduler.step(b[0])
        print(epoch, "%.5f %.3f" % a, "%.5f %.3f" % b, optimizer.param_groups[0]["lr"])
        if stopper(b[0], model):
            break
    model.load_state_dict(torch.load("best.pt"))
    print("%.5f" % run(model, DataLoader(valid, 10), criterion)[0], weight.sum().item())
    os.remove("best.pt")


if __name__ == "__main__":
    main()
