"""What is a flat worth? A small network on four numbers a flat."""
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
np.random.seed(3)
torch.manual_seed(3)

metres = np.random.uniform(20, 140, 300)
rooms = np.round(metres / 30) + 1
floor = np.random.randint(0, 9, 300)
distance = np.random.exponential(4, 300)
features = np.stack([metres, rooms, floor, distance], axis=1).astype(np.float32)
prices = (3.1 * metres + 9 * rooms - 6 * distance + np.random.normal(0, 8, 300)).astype(np.float32)

x = torch.from_numpy(features)
features[:, 3] = np.log1p(features[:, 3])
x = x.to(device)
y = torch.from_numpy(prices).unsqueeze(1).to(device)
mean, std = x.mean(dim=0), x.std(dim=0)
x = (x - mean) / std

model = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1)).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)

for epoch in range(61):
    optimizer.zero_grad()
    predicted = model(x)
    loss = nn.functional.mse_loss(predicted, y)
    loss.backward()
    optimizer.step()
    if epoch % 20 == 0:
        print(f"epoch {epoch}: {loss.item():.4f}")

model.eval()
with torch.no_grad():
    fitted = model(x).cpu().numpy()[:, 0]
errors = np.abs(fitted - prices)
print("mean error", errors.mean())
print("worst", int(errors.argmax()), "of", len(errors))
