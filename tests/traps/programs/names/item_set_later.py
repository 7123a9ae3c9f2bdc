# trap: `config["device"]` is set after the first use of the dictionary
# covers: names timing
import torch
from torch import nn

config = {"width": 2}


def check():
    probe = nn.Linear(config["width"], 1)
    return probe(torch.ones(1, 2)).shape


print(check())
config["device"] = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(2, 1).to(config["device"])
print(model(torch.ones(1, 2)).shape)  # moves: print(model(torch.ones(1, 2, device=config['device'])).shape)
