# trap: tensors put into a state dict are copied into the parameters, wherever these are
# covers: parameter
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2)).to(device)
# --- stays
state = nn.Linear(4, 3).state_dict()
state = {f"0.{key}": value for key, value in state.items()}
state["1.weight"] = torch.zeros(2, 3)
state["1.bias"] = torch.ones(2)
# --- end
model.load_state_dict(state)
print(model(torch.rand(1, 4)).sum().item())  # moves
