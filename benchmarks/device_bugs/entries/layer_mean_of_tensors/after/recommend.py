import numpy as np
import torch
import torch.nn as nn


class GraphRecommender(nn.Module):
    """Averages what a few rounds of propagation make of the embeddings of items."""

    def __init__(self, n_items, dim=10, layers=2):
        super().__init__()
        self.layers = layers
        self.item = nn.Embedding(n_items, dim)

    def propagate(self, adjacency):
        final = [self.item.weight]
        for _ in range(self.layers):
            final.append(torch.sparse.mm(adjacency, final[-1]))
        return sum(final) / (self.layers + 1), final

    def forward(self, adjacency, session):
        items, _ = self.propagate(adjacency)
        return items[session].mean(dim=1) @ items.t()


def cooccurrence(sessions, n_items):
    counts = np.eye(n_items, dtype=np.float32)
    for row in sessions:
        for a in row:
            for b in row:
                counts[a, b] += 1
    counts /= counts.sum(axis=1, keepdims=True)
    return torch.from_numpy(counts).to_sparse()


def main():
    rng = np.random.RandomState(0)
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    start = rng.randint(0, 16, size=40)
    sessions = (start[:, None] + np.arange(4)) % 20
    adjacency = cooccurrence(sessions, 20).to(device)
    history = torch.from_numpy(sessions[:, :3]).to(device)
    following = torch.from_numpy(sessions[:, 3]).to(device)
    model = GraphRecommender(20).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    for epoch in range(4):
        loss = nn.functional.cross_entropy(model(adjacency, history), following)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"epoch {epoch}: {loss.item():.4f}")
    with torch.no_grad():
        _, layers = model.propagate(adjacency)
        norms = np.mean([layer.norm(dim=1).cpu().numpy() for layer in layers], axis=0)
    print("largest", np.sort(norms)[-3:].round(3).tolist())


if __name__ == "__main__":
    main()
