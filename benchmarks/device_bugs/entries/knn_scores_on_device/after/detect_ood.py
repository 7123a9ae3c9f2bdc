import torch
import torch.nn as nn

from knn import KNN

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def train_features(x, y, steps=20):
    features = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 6)).to(device)
    head = nn.Linear(6, 2).to(device)
    params = list(features.parameters()) + list(head.parameters())
    optimizer = torch.optim.Adam(params, lr=0.01)
    for _ in range(steps):
        loss = nn.functional.cross_entropy(head(features(x)), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"classifier loss {loss.item():.4f}")
    return features.eval()


def auroc(scores, unknown):
    pairs = scores[unknown][:, None] > scores[~unknown][None]
    return pairs.float().mean().item()


def main():
    x = torch.randn(80, 4).to(device)
    y = (x[:, 0] > 0).long()
    detector = KNN(train_features(x, y)).fit(x)
    known = torch.randn(30, 4)
    strange = torch.randn(30, 4) * 0.3 + 4
    test = torch.cat([known, strange]).to(device)
    unknown = torch.arange(60).to(device) >= 30
    scores = detector.predict(test)
    print(f"auroc {auroc(scores, unknown):.3f}")


if __name__ == "__main__":
    main()
