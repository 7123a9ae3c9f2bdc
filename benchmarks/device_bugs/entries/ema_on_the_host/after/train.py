import torch
import torch.nn as nn
import torch.nn.functional as F

from averaged import AveragedModel


class Mixer(nn.Module):
    def __init__(self, tokens=6, dim=24, classes=3):
        super().__init__()
        self.stem = nn.Linear(5, dim)
        self.mix = nn.Sequential(nn.Linear(tokens, tokens), nn.GELU())
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        x = self.stem(x)
        x = x + self.mix(x.transpose(1, 2)).transpose(1, 2)
        x = x + self.mlp(x)
        return self.head(x.mean(dim=1))


def make_split(count, seed):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(count, 6, 5, generator=generator)
    return x, x.mean(dim=1)[:, :3].argmax(dim=1)


@torch.no_grad()
def evaluate(model, x, y, device, batch_size=50):
    loss = 0.0
    for inputs, labels in zip(x.split(batch_size), y.split(batch_size)):
        inputs, labels = inputs.to(device), labels.to(device)
        loss += F.cross_entropy(model(inputs), labels, reduction="sum").item()
    return loss / len(x)


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Mixer().to(device)
    average = AveragedModel(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    x, y = make_split(64, seed=1)
    valid_x, valid_y = make_split(150, seed=2)
    for epoch in range(3):
        for inputs, labels in zip(x.split(16), y.split(16)):
            loss = F.cross_entropy(model(inputs.to(device)), labels.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            average.update(model)
        valid = evaluate(average.module, valid_x, valid_y, device)
        print(f"epoch {epoch}: loss {loss.item():.4f} averaged {valid:.4f}")


if __name__ == "__main__":
    main()
