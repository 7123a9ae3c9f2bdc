"""A Dataset that draws its own noise, read by two workers."""
from datetime import datetime

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Waves(Dataset):
    """Sines of three frequencies, made when they are asked for."""

    def __init__(self, length):
        self.length = length
        self.time = torch.linspace(0, 6.28, 32)

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        label = index % 3
        wave = torch.sin(self.time * (label + 1) + index)
        noise = 0.2 * torch.randn(32)
        return wave + noise, torch.tensor(label)


class Classifier(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.conv = nn.Conv1d(1, width, 5)
        self.head = nn.Linear(width, 3)

    def forward(self, wave):
        hidden = torch.relu(self.conv(wave.unsqueeze(1)))
        return self.head(hidden.amax(dim=2))


def main():
    torch.manual_seed(11)
    loader = DataLoader(Waves(96), batch_size=24, shuffle=True, num_workers=2)
    net = Classifier()
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.02)
    start = datetime.now()
    for epoch in range(2):
        right = 0
        for waves, labels in loader:
            scores = net(waves)
            loss = nn.functional.cross_entropy(scores, labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            right += int((scores.argmax(1) == labels).sum())
        print("epoch", epoch, "right", right, "loss", loss.detach(), "took", datetime.now() - start)


if __name__ == "__main__":
    main()
