# trap: results of a pool are arrays, and its arguments are made on the host
# covers: worker multiprocessing numpy
import multiprocessing as mp

import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


# --- stays
def rollout(weights):
    w = torch.as_tensor(weights)
    state = torch.ones(len(w))
    total = 0.0
    for _ in range(3):
        state = torch.tanh(state * w)
        total += state.sum().item()
    return total, state.numpy()


# --- end
if __name__ == "__main__":
    model = nn.Linear(2, 2).to(device)
    noise = [torch.full((2,), float(k)).numpy() for k in range(3)]  # stays
    with mp.get_context("fork").Pool(2) as pool:
        results = pool.map(rollout, noise)  # stays
    states = np.stack([state for _, state in results])  # stays
    print(model(torch.from_numpy(states)).shape)  # moves
