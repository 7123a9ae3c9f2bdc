import torch
import torch.nn as nn

from trainer import Trainer


def sequences(count=12, dim=20):
    data = []
    for i in range(count):
        embeddings = torch.randn(15 + i, dim)
        labels = (embeddings[:, 0] > 0.3).long() + (embeddings[:, 1] > 1.0).long()
        data.append((embeddings, labels))
    return data


def get_device():
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


if __name__ == "__main__":
    torch.manual_seed(6)
    model = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 3))
    trainer = Trainer(model, sequences(), get_device(), use_class_weights=True)
    for epoch in range(3):
        print(f"epoch {epoch}: {trainer.epoch():.4f}")
