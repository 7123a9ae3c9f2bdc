# trap: the model is brought back to the host before its last use, and its input is right there
# covers: timing on-purpose
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(2):
    x = torch.ones(4, 3) * step  # moves
    optimizer.zero_grad()
    model(x).mean().backward()
    optimizer.step()
# --- stays
model.cpu()
example = torch.zeros(1, 3)
traced = torch.jit.trace(model, example)
# --- end
print(traced(torch.ones(2, 3)).shape)  # stays
