# NumPy's float64 images are moved, flattened, moved again, and passed to a float32 layer.
# CPU and GPU alike: the forward pass raises, "mat1 and mat2 must have the same dtype".
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
rng = np.random.default_rng(5)
torch.manual_seed(5)

# Dark and bright blobs on 12 x 12 pixels.
brightness = np.linspace(-1.0, 1.0, 80)
y, x = np.mgrid[-1:1:12j, -1:1:12j]
blob = np.exp(-3 * (x**2 + y**2))
pictures = brightness[:, None, None] * blob + 0.05 * rng.standard_normal((80, 12, 12))

images = torch.from_numpy(pictures).to(device)
flat = images.view(80, -1).to(device)
labels = torch.from_numpy((brightness > 0).astype(np.int64)).to(device)

model = nn.Sequential(nn.Linear(144, 16), nn.ReLU(), nn.Linear(16, 2)).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

for epoch in range(1, 31):
    loss = nn.functional.cross_entropy(model(flat), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if epoch % 10 == 0:
        print(f"epoch {epoch}  loss {loss.item():.4f}")

correct = (model(flat).argmax(dim=1) == labels).sum()
print(f"{correct.item()} of 80 right")
