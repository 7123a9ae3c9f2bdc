import torch
import torch.nn as nn

from features import log_mel


class Classifier(nn.Module):
    def __init__(self, filters=12, classes=3):
        super().__init__()
        self.conv = nn.Conv1d(filters, 16, 3, padding=1)
        self.out = nn.Linear(16, classes)

    def forward(self, mel):
        return self.out(torch.relu(self.conv(mel.transpose(1, 2))).mean(dim=2))


def tones(count, length=256):
    labels = torch.randint(0, 3, (count,))
    t = torch.arange(length) / length
    pitch = 10.0 + 12 * labels.unsqueeze(1)
    return torch.sin(2 * torch.pi * pitch * t) + 0.3 * torch.randn(count, length), labels


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Classifier().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(6):
        waves, labels = tones(24)
        mel = log_mel(waves)
        mel = (mel - mel.mean()) / mel.std()
        mel, labels = mel.to(device), labels.to(device)
        loss = nn.functional.cross_entropy(model(mel), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}: {loss.item():.4f}")


if __name__ == "__main__":
    main()
