import torch
import torch.nn as nn

from ordinal import conditional_loss, levels_from_labelbatch, logits_to_label

NUM_CLASSES = 5


class Mlp(nn.Module):
    def __init__(self, n_in=4):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n_in, 24), nn.LeakyReLU(), nn.Linear(24, NUM_CLASSES - 1))

    def forward(self, x):
        return self.net(x)


def people(count):
    x = torch.rand(count, 4)
    return x, (x.sum(1) / 4 * 8 - 1.5).clamp(0, NUM_CLASSES - 1).long()


def main():
    torch.manual_seed(0)
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    model = Mlp().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    features, targets = people(96)
    for epoch in range(3):
        errors = 0
        for x, y in zip(features.split(32), targets.split(32)):
            x, y = x.to(device), y.to(device)
            levels = levels_from_labelbatch(y, NUM_CLASSES)
            logits = model(x)
            loss = conditional_loss(logits, levels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            errors += (logits_to_label(logits) - y).abs().sum().item()
        print(f"epoch {epoch}: loss {loss.item():.4f} mae {errors / len(targets):.3f}")


if __name__ == "__main__":
    main()
