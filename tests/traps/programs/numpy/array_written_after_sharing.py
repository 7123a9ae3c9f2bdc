# trap: the tensor shares its array's memory, and the array is written in the loop: moved at its
#   creation it would keep showing the first picture
# covers: numpy alias
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
canvas = np.zeros((1, 4), dtype=np.float32)
frame = torch.from_numpy(canvas)  # stays
model = nn.Linear(4, 1, bias=False).to(device)
nn.init.ones_(model.weight)
for step in range(3):
    canvas[:] = step  # stays
    print(step, model(frame).item())  # moves: print(step, model(frame.to(device)).item())
