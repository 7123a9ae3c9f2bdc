# A large input is moved inside the call that uses it. Nothing is wrong here: it runs on the CPU
# and on a GPU, and `non_blocking=True` would gain nothing, since the memory is not pinned.
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(6)

model = nn.Sequential(nn.Linear(10, 16), nn.Tanh(), nn.Linear(16, 1)).to(device)
model.eval()
readings = torch.randn(200_000, 10)

with torch.no_grad():
    scores = model(readings.to(device)).squeeze(1)

print(f"mean score {scores.mean().item():.4f}")
print(f"spread {scores.std().item():.4f}")

threshold = scores.mean() + 3 * scores.std()
suspicious = (scores > threshold).sum()
print(f"{suspicious.item()} readings lie three deviations above the mean")
