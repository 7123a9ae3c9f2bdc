import torch
import torch.nn as nn
import torch.nn.functional as F

from config import Config


class Encoder(nn.Module):
    """A graph isomorphism network on dense adjacency matrices."""

    def __init__(self, features, hidden):
        super().__init__()
        self.first = nn.Sequential(nn.Linear(features, hidden), nn.ReLU(), nn.Linear(hidden, hidden))
        self.second = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, hidden))

    def forward(self, x, adjacency):
        x = F.relu(self.first(x + adjacency @ x))
        x = self.second(x + adjacency @ x)
        return x.sum(dim=1)


def random_graphs(count, nodes=8, features=4):
    upper = torch.triu((torch.rand(count, nodes, nodes) < 0.3).float(), diagonal=1)
    return torch.rand(count, nodes, features), upper + upper.transpose(1, 2)


def contrast(a, b, temperature=0.5):
    logits = F.normalize(a, dim=1) @ F.normalize(b, dim=1).t() / temperature
    return F.cross_entropy(logits, torch.arange(len(a), device=a.device))


def main():
    torch.manual_seed(0)
    cfg = Config()
    encoder = Encoder(4, cfg.hidden).to(cfg.device)
    optimizer = torch.optim.Adam(encoder.parameters(), lr=cfg.lr)
    for epoch in range(cfg.epochs):
        for _ in range(3):
            x, adjacency = (part.to(cfg.device) for part in random_graphs(16))
            masked = x * (torch.rand_like(x) > 0.2)
            loss = contrast(encoder(x, adjacency), encoder(masked, adjacency))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: {loss.item():.4f}")


if __name__ == "__main__":
    main()
