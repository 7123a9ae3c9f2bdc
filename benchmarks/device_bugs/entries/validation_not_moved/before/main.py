import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset, random_split

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def make_data(n=160):
    rng = np.random.RandomState(0)
    x = rng.uniform(-1, 1, size=(n, 6)).astype("float32")
    y = (np.sin(3 * x[:, 0]) + x[:, 1] * x[:, 2] > 0).astype("int64")
    return TensorDataset(torch.from_numpy(x), torch.from_numpy(y))


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 48), nn.ReLU(), nn.Dropout(0.1), nn.Linear(48, 2))

    def forward(self, x):
        return self.body(x)


def fit_one_epoch(model, loader, criterion, optimizer):
    model.train()
    total = 0.0
    for x, y in loader:
        x = x.to(device)
        y = y.to(device)
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / len(loader)


@torch.no_grad()
def evaluate(model, loader, criterion):
    model.eval()
    losses, predicted, truth = [], [], []
    for x, y in loader:
        logits = model(x)
        losses.append(criterion(logits, y).item())
        predicted.append(logits.argmax(dim=1).numpy())
        truth.append(y.numpy())
    accuracy = np.mean(np.concatenate(predicted) == np.concatenate(truth))
    return sum(losses) / len(losses), accuracy


if __name__ == "__main__":
    torch.manual_seed(0)
    train_set, valid_set = random_split(make_data(), [128, 32])
    train_loader = DataLoader(train_set, batch_size=32)
    valid_loader = DataLoader(valid_set, batch_size=16)
    model = Mlp().to(device)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(4):
        train_loss = fit_one_epoch(model, train_loader, criterion, optimizer)
        valid_loss, accuracy = evaluate(model, valid_loader, criterion)
        print(f"{epoch}: train {train_loss:.4f} valid {valid_loss:.4f} accuracy {accuracy:.3f}")
