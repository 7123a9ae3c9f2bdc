# trap: states of random generators are byte tensors of the host
# covers: generator on-purpose
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
# --- stays
state = torch.get_rng_state()
first = torch.rand(2)
torch.set_rng_state(state)
again = torch.rand(2)
print(torch.equal(first, again), state.dtype)
with torch.random.fork_rng(devices=[]):
    torch.manual_seed(1)
    torch.rand(1)
# --- end
model = nn.Linear(2, 1).to(device)
print(model(torch.ones(1, 2)).shape)  # moves
