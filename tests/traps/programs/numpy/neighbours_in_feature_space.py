# trap: nearest neighbours are looked up by NumPy in features that stay on the host
# covers: numpy
import numpy as np
import torch
from torch import nn


class Index:
    def __init__(self):
        self.rows = np.zeros((0, 4), dtype=np.float32)
        self.bias = torch.zeros(4)  # stays

    def add(self, features):
        self.rows = np.concatenate([self.rows, (features + self.bias).numpy()])  # stays

    def nearest(self, query):
        gaps = torch.from_numpy(self.rows) - query + self.bias  # stays
        return int(gaps.pow(2).sum(1).argmin())  # stays


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 4).to(device)
images = torch.eye(4)  # stays
index = Index()
with torch.no_grad():
    index.add(model(images.to(device)).cpu())
    print(index.nearest(model(images[2:3].to(device)).cpu()))
