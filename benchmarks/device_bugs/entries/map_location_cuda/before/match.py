import os
import tempfile

import torch
import torch.nn as nn


class MatchingModel(nn.Module):
    """Says whether two records are of the same thing."""

    def __init__(self, vocab=50, dim=12):
        super().__init__()
        self.embed = nn.EmbeddingBag(vocab, dim)
        self.score = nn.Sequential(nn.Linear(2 * dim, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, left, right):
        a, b = self.embed(left), self.embed(right)
        return self.score(torch.cat([(a - b).abs(), a * b], dim=1)).squeeze(1)

    def save_state(self, path):
        torch.save({"model": self.state_dict(), "embed_dim": self.embed.embedding_dim}, path)

    def load_state(self, path):
        state = torch.load(path, map_location="cuda:0")
        self.load_state_dict(state["model"])
        return state


def pairs(n):
    left = torch.randint(0, 50, (n, 4))
    same = torch.rand(n) < 0.5
    right = torch.where(same.unsqueeze(1), left.flip(1), torch.randint(0, 50, (n, 4)))
    return left, right, same.float()


def train(model, device, steps=8):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(steps):
        left, right, same = (t.to(device) for t in pairs(64))
        loss = nn.functional.binary_cross_entropy_with_logits(model(left, right), same)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"trained to {loss.item():.4f}")


if __name__ == "__main__":
    torch.manual_seed(0)
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    model = MatchingModel().to(device)
    train(model, device)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "best.pth")
        model.save_state(path)
        again = MatchingModel().to(device)
        print("embed dim", again.load_state(path)["embed_dim"])
    left, right, same = (t.to(device) for t in pairs(40))
    hits = (again(left, right) > 0) == same.bool()
    print(f"accuracy {hits.float().mean().item():.3f}")
