# trap: clones are kept, the state itself is written in place and read by the host at the end
# covers: alias numpy
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
policy = nn.Linear(2, 2).to(device)
nn.init.eye_(policy.weight)
nn.init.zeros_(policy.bias)
state = torch.zeros(2)  # stays
history = []
for step in range(3):
    state[step % 2] += 1.0  # stays
    with torch.no_grad():
        action = policy(state.to(device)).cpu()
    # --- stays
    state -= 0.5 * action
    history.append(state.clone())
    # --- end
print(torch.stack(history).numpy().tolist(), state.numpy().tolist())  # stays
