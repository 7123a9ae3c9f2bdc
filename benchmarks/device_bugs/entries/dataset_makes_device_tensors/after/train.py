import torch
import torch.nn as nn
from torch.utils.data import DataLoader

from data import Waves

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class ConvNet(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv1d(1, 8, 5, padding=2), nn.ReLU(), nn.MaxPool1d(2), nn.Conv1d(8, 16, 5, padding=2), nn.ReLU()
        )
        self.classifier = nn.Linear(16, classes)

    def forward(self, x):
        return self.classifier(self.features(x).mean(dim=2))


def main():
    torch.manual_seed(0)
    model = ConvNet().to(device)
    loader = DataLoader(Waves(48), batch_size=16, num_workers=1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(2):
        for waves, labels in loader:
            waves, labels = waves.to(device), labels.to(device)
            loss = nn.functional.cross_entropy(model(waves), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
