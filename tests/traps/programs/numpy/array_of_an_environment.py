# trap: an environment keeps one array, its tensor is made once, and every step writes the array
# covers: numpy alias
import numpy as np
import torch
from torch import nn


class Environment:
    def __init__(self):
        self.cells = np.zeros(4, dtype=np.float32)
        self.view = torch.from_numpy(self.cells)  # stays

    def step(self, action):
        self.cells[action] += 1  # stays
        return self.view  # stays


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 1, bias=False).to(device)
nn.init.ones_(model.weight)
env = Environment()
for action in range(3):
    print(model(env.step(action)).item())  # moves
