# trap: from NumPy to torch and back, beside a model: nothing of it meets the model
# covers: numpy on-purpose
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
rng = np.random.default_rng(0)
scores = rng.normal(size=50)
# --- stays
ranks = torch.from_numpy(scores).argsort().numpy()
edges = torch.linspace(-3, 3, 7).numpy()
counts = torch.histc(torch.from_numpy(scores).float(), bins=6, min=-3, max=3).numpy()
values, places = torch.tensor(counts).max(0)
order = np.asarray(torch.arange(5).flip(0))
# --- end
model = nn.Linear(50, 2).to(device)
x = torch.from_numpy(scores).float()  # moves
print(model(x).shape, len(ranks), len(edges), int(counts.sum()), int(values), order.tolist())
