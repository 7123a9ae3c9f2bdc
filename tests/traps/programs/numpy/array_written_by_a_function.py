# trap: a function of the program writes the array that a tensor shares
# covers: numpy alias
import numpy as np
import torch
from torch import nn


def advance(board, step):
    board[0, step % 3] += 1.0


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
board = np.zeros((1, 3), dtype=np.float32)
state = torch.from_numpy(board)  # stays
policy = nn.Linear(3, 1, bias=False).to(device)
nn.init.ones_(policy.weight)
for step in range(3):
    advance(board, step)
    print(policy(state).item())  # moves: print(policy(state.to(device)).item())
