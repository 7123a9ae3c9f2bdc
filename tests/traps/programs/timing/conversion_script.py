# trap: a script that only rewrites checkpoints has nothing to do on a device
# covers: on-purpose parameter
import torch
from torch import nn


def renamed(state):
    return {key.replace("module.", ""): value for key, value in state.items()}


def average(states):
    keys = states[0].keys()
    return {key: torch.stack([state[key].float() for state in states]).mean(0) for key in keys}


if __name__ == "__main__":
    torch.manual_seed(0)
    for k in range(2):
        torch.save({f"module.{n}": v for n, v in nn.Linear(3, 2).state_dict().items()}, f"{k}.pt")
    states = [renamed(torch.load(f"{k}.pt", map_location="cpu")) for k in range(2)]
    model = nn.Linear(3, 2)
    model.load_state_dict(average(states))
    print(sum(p.numel() for p in model.parameters()), sorted(model.state_dict()))
    torch.save(model.state_dict(), "mean.pt")
