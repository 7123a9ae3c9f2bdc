import torch
import torch.nn as nn
from torch.optim import Adagrad
from torch.utils.data import DataLoader, TensorDataset


class WideAndDeep(nn.Module):
    def __init__(self, fields, buckets, dim=6):
        super().__init__()
        self.wide = nn.ModuleList([nn.Embedding(buckets, 1) for _ in range(fields)])
        self.deep = nn.ModuleList([nn.Embedding(buckets, dim) for _ in range(fields)])
        self.mlp = nn.Sequential(nn.Linear(fields * dim, 24), nn.ReLU(), nn.Linear(24, 1))

    def forward(self, x):
        wide = sum(e(x[:, i]) for i, e in enumerate(self.wide))
        deep = torch.cat([e(x[:, i]) for i, e in enumerate(self.deep)], dim=1)
        return (wide + self.mlp(deep)).squeeze(1)


class Trainer:
    def __init__(self, model, lr, device):
        self.device = device
        self.model = model.to(device)
        self.loss = nn.BCEWithLogitsLoss()
        self.optimizer = Adagrad(model.parameters(), lr=lr)

    def fit(self, loader, epochs):
        for epoch in range(epochs):
            total = 0.0
            for x, y in loader:
                x, y = x.to(self.device), y.to(self.device)
                loss = self.loss(self.model(x), y)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                total += loss.item()
            print(f"epoch {epoch}: {total / len(loader):.4f}")


def clicks(count, fields, buckets):
    x = torch.randint(0, buckets, (count, fields))
    y = ((x[:, 0] + x[:, 1]) % 2 == 0).float()
    return TensorDataset(x, y)


if __name__ == "__main__":
    torch.manual_seed(0)
    loader = DataLoader(clicks(128, 3, 8), batch_size=32)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    trainer = Trainer(WideAndDeep(3, 8), lr=0.1, device=device)
    trainer.fit(loader, epochs=3)
