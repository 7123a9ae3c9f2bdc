# A loader that pins its memory, and a loop that never moves the batches: pinning alone moves
# nothing. CPU: trains and prints. GPU: the first batch raises in the forward pass.
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(2)


class Spirals(Dataset):
    """Points on two interleaved spirals, kept as NumPy arrays."""

    def __init__(self, size: int) -> None:
        rng = np.random.default_rng(2)
        self.labels = rng.integers(0, 2, size)
        angle = rng.uniform(0.3, 1.5, size) * np.pi
        turn = angle + np.pi * self.labels
        points = np.stack([angle * np.cos(turn), angle * np.sin(turn)], axis=1)
        self.points = (points / 4).astype(np.float32)

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.from_numpy(self.points[index]), torch.tensor(self.labels[index])


loader = DataLoader(Spirals(400), batch_size=50, shuffle=True, pin_memory=True)
model = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 2))
model.to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)

for epoch in range(1, 16):
    total, correct = 0.0, 0
    for points, labels in loader:
        logits = model(points)
        loss = nn.functional.cross_entropy(logits, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
        correct += (logits.argmax(dim=1) == labels).sum().item()
    if epoch % 5 == 0:
        print(f"epoch {epoch:2d}  loss {total / len(loader):.4f}  accuracy {correct / 400:.3f}")
