# trap: one state is written step by step; a list and an object hold the same tensor
# covers: alias
import torch
from torch import nn


class Recorder:
    def __init__(self, state):
        self.state = state
        self.rows = []

    def record(self):
        self.rows.append(self.state.tolist())


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(2, 1, bias=False).to(device)
nn.init.ones_(model.weight)
# --- stays
state = torch.zeros(2)
recorder = Recorder(state)
held = [state, state]
held[0].add_(1.0)
recorder.record()
state.mul_(3.0)
recorder.record()
print(recorder.rows, held[1].numpy().tolist())
# --- end
print(model(recorder.state).item())  # moves
