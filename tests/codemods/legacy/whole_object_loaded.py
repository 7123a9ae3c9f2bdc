# case: a module that is called
# reports: DFX616
import torch

net = torch.load("net.pt", map_location="cpu")
print(net(torch.ones(2, 3)))

# case: a part of what is loaded
# reports: DFX616
import torch

checkpoint = torch.load("last.pt", map_location="cpu")
model = torch.nn.Linear(3, 1)
model.load_state_dict(checkpoint["ema"].float().state_dict())
print(model)

# case: a module that is put into evaluation mode by a function
# reports: DFX616
import torch


def load(path):
    net = torch.load(path, map_location="cpu")
    return net.eval()


print(load("net.pt"))

# case: a state
import torch

model = torch.nn.Linear(3, 1)
state = torch.load("net.pt", map_location="cpu")
model.load_state_dict({name: value for name, value in state["model"].items()})
print(model, state["epoch"])

# case: the program says what it reads
import torch

net = torch.load("net.pt", map_location="cpu", weights_only=False)
print(net(torch.ones(2, 3)))

# case: another loader
import torch

net = torch.jit.load("net.pt", map_location="cpu")
print(net.eval()(torch.ones(2, 3)))
