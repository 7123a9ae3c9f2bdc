import torch
import torch.nn as nn

LETTERS = 10
POSITIONS = 3


class PlateReader(nn.Module):
    """Reads the three signs of a plate; rare signs weigh more."""

    def __init__(self, frequencies):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 8, 3, stride=2, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 4 * 12, 48), nn.ReLU()
        )
        self.signs = nn.Linear(48, POSITIONS * LETTERS)
        self.criterions = []
        for frequency in frequencies:
            weight = 1.0 / (frequency + 0.1)
            self.criterions.append(nn.CrossEntropyLoss(weight=weight / weight.sum()))

    def forward(self, images):
        return self.signs(self.features(images)).view(-1, POSITIONS, LETTERS)

    def loss(self, images, signs):
        out = self(images)
        losses = [criterion(out[:, i], signs[:, i]) for i, criterion in enumerate(self.criterions)]
        return torch.stack(losses).mean()


def draw(signs):
    images = torch.zeros(len(signs), 1, 8, 24)
    for image, row in zip(images, signs.tolist()):
        for place, sign in enumerate(row):
            image[0, sign % 8, place * 8 + sign // 2] = 1.0
            image[0, 7 - sign % 8, place * 8:place * 8 + sign % 5 + 1] += 0.5
    return images


def main():
    torch.manual_seed(0)
    signs = torch.randint(0, LETTERS, (64, POSITIONS))
    frequencies = [torch.bincount(signs[:, i], minlength=LETTERS).float() / 64 for i in range(POSITIONS)]
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = PlateReader(frequencies).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
    images = draw(signs)
    for epoch in range(4):
        for images_, signs_ in zip(images.split(16), signs.split(16)):
            loss = model.loss(images_.to(device), signs_.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: {loss.item():.4f}")


if __name__ == "__main__":
    main()
