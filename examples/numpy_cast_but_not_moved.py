# Measurements come from NumPy as float64; they are cast for the model but never moved to it.
# CPU: trains and prints. GPU: the first forward pass raises, model and inputs are on two devices.
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
rng = np.random.default_rng(1)
torch.manual_seed(1)

# Two kinds of flowers, four measurements each.
first = rng.normal([5.0, 3.4, 1.5, 0.2], 0.4, size=(60, 4))
second = rng.normal([5.9, 2.8, 4.3, 1.3], 0.4, size=(60, 4))
measurements = np.concatenate([first, second])
measurements = (measurements - measurements.mean(axis=0)) / measurements.std(axis=0)
species = np.repeat([0, 1], 60)

inputs = torch.from_numpy(measurements)
inputs = inputs.to(torch.float32)
labels = torch.from_numpy(species)

model = nn.Linear(4, 2).to(device)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)

for epoch in range(1, 31):
    loss = criterion(model(inputs), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if epoch % 10 == 0:
        print(f"epoch {epoch}  loss {loss.item():.4f}")

accuracy = (model(inputs).argmax(dim=1) == labels).float().mean()
print(f"accuracy {accuracy.item():.3f}")
