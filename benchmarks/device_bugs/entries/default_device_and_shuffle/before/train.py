import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

BATCH = 16

torch.manual_seed(21)
device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
torch.set_default_device(device)


class TwoTower(nn.Module):
    """Scores of users and items."""

    def __init__(self, users, items, dim):
        super().__init__()
        self.users = nn.Embedding(users, dim)
        self.items = nn.Embedding(items, dim)
        self.bias = nn.Parameter(torch.zeros(items))

    def forward(self, user, item):
        return (self.users(user) * self.items(item)).sum(-1) + self.bias[item]


def ratings(count, users, items):
    user = torch.randint(users, (count,))
    item = torch.randint(items, (count,))
    liked = ((user + item) % 3 == 0).float()
    return TensorDataset(user, item, liked)


def main():
    model = TwoTower(12, 15, 8)
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.2)
    order = torch.Generator().manual_seed(5)
    loader = DataLoader(ratings(64, 12, 15), batch_size=BATCH, shuffle=True, generator=order)
    for epoch in range(3):
        total = 0.0
        for user, item, liked in loader:
            loss = nn.functional.binary_cross_entropy_with_logits(model(user, item), liked)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(user)
        print(f"epoch {epoch}: {total / len(loader.dataset):.4f}")


if __name__ == "__main__":
    main()
