# case: a comprehension: the whole net moves, the list with it
# unsafe
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(3, 3) for _ in range(2)]
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


torch.manual_seed(0)
net = Net()
print(f"{net(torch.ones(2, 3)).sum().item():.4f}")

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(2)])
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


torch.manual_seed(0)
net = Net().to(device)
print(f"{net(torch.ones(2, 3, device=device)).sum().item():.4f}")

# case: a list that append fills
# unsafe
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = []
        for _ in range(2):
            self.layers.append(nn.Linear(3, 3))
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


torch.manual_seed(0)
net = Net()
print(f"{net(torch.ones(2, 3)).sum().item():.4f}")

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(2):
            self.layers.append(nn.Linear(3, 3))
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


torch.manual_seed(0)
net = Net().to(device)
print(f"{net(torch.ones(2, 3, device=device)).sum().item():.4f}")

# case: a tuple, one part of which has no parameters
# unsafe
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = (nn.Linear(3, 3), nn.ReLU())
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


torch.manual_seed(0)
net = Net()
print(f"{net(torch.ones(2, 3)).sum().item():.4f}")

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList((nn.Linear(3, 3), nn.ReLU()))
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


torch.manual_seed(0)
net = Net().to(device)
print(f"{net(torch.ones(2, 3, device=device)).sum().item():.4f}")

# case: a dict of heads
# unsafe
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = {"mean": nn.Linear(3, 1), "scale": nn.Linear(3, 1)}

    def forward(self, x):
        return self.heads["mean"](x) * self.heads["scale"](x)


torch.manual_seed(0)
net = Net()
print(f"{net(torch.ones(2, 3)).sum().item():.4f}")

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleDict({"mean": nn.Linear(3, 1), "scale": nn.Linear(3, 1)})

    def forward(self, x):
        return self.heads["mean"](x) * self.heads["scale"](x)


torch.manual_seed(0)
net = Net().to(device)
print(f"{net(torch.ones(2, 3, device=device)).sum().item():.4f}")

# case: a dict that assignments fill, in a library
# unsafe
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = {}
        for name in ("mean", "scale"):
            self.heads[name] = nn.Linear(3, 1)

    def forward(self, x):
        return sum(head(x) for head in self.heads.values())


# output
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleDict()
        for name in ("mean", "scale"):
            self.heads[name] = nn.Linear(3, 1)

    def forward(self, x):
        return sum(head(x) for head in self.heads.values())


# case: a file that calls torch.nn by its full name, in a library
# unsafe
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [torch.nn.Linear(3, 3)]  # one
        self.head = torch.nn.Linear(3, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


# output
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList([torch.nn.Linear(3, 3)])  # one
        self.head = torch.nn.Linear(3, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


# case: layers that the program moves, but does not train
# unsafe
import torch
from torch import nn

device = torch.device("cpu")

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(3, 3).to(device) for _ in range(2)]
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


net = Net().to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
print(net(torch.ones(2, 3, device=device)).shape)

# output
import torch
from torch import nn

device = torch.device("cpu")

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3).to(device) for _ in range(2)])
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


net = Net().to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
print(net(torch.ones(2, 3, device=device)).shape)

# case: a literal over several lines, with a comment
# unsafe
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [
            nn.Linear(3, 3),  # first
            nn.Linear(3, 3),
        ]
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


# output
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([
            nn.Linear(3, 3),  # first
            nn.Linear(3, 3),
        ])
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


# case: what ModuleList does not have: the list is sorted
# reports: DFX112
# unsafe
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(3, 3), nn.Linear(3, 3)]
        self.layers.sort(key=id)
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


# case: what ModuleDict does not have: get
# reports: DFX112
# unsafe
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = {"mean": nn.Linear(3, 1), "scale": nn.Linear(3, 1)}

    def forward(self, x):
        return self.heads.get("mean")(x)


# case: a key that is no name of a module
# reports: DFX112
# unsafe
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = {"a.b": nn.Linear(3, 1)}

    def forward(self, x):
        return self.heads["a.b"](x)


# case: a list that may hold None
# reports: DFX112
# unsafe
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(3, 3), None]
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        return self.head(self.layers[0](x))


# case: bound before super().__init__()
# reports: DFX112
# unsafe
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        self.layers = [nn.Linear(3, 3) for _ in range(2)]
        super().__init__()
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


# case: a name that the class has a value for
# reports: DFX112
# unsafe
import torch
from torch import nn


class Net(nn.Module):
    layers = ()

    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(3, 3) for _ in range(2)]
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


# case: a local list that is bound later
# reports: DFX112
# unsafe
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        layers = [nn.Linear(3, 3)]
        self.layers = layers
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


# case: registered by add_module
# unsafe
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(3, 3) for _ in range(2)]
        for i, layer in enumerate(self.layers):
            self.add_module(f"layer{i}", layer)
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


# case: registered by setattr
# unsafe
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(3, 3) for _ in range(2)]
        for i, layer in enumerate(self.layers):
            setattr(self, f"layer{i}", layer)
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


# case: the list helps to build an nn.Sequential
# unsafe
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(3, 3) for _ in range(2)]
        self.body = nn.Sequential(*self.layers)
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        return self.head(self.body(x))


# case: a plain local list
# unsafe
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        layers = []
        for _ in range(2):
            layers.append(nn.Linear(3, 3))
        self.body = nn.Sequential(*layers)
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        return self.head(self.body(x))


# case: modules without parameters
# unsafe
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.ReLU(), nn.Tanh()]
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


# case: layers that are attributes, too
# unsafe
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 3)
        self.layers = [self.first]
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


# case: a module of somebody else that is hidden in a list
# unsafe
import torch
from torch import nn


class Student(nn.Module):
    def __init__(self, teacher):
        super().__init__()
        self.teacher = [teacher]
        self.head = nn.Linear(3, 3)

    def forward(self, x):
        return self.head(x) - self.teacher[0](x)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
teacher = nn.Linear(3, 3).to(device)
net = Student(teacher).to(device)
print(net(torch.ones(2, 3, device=device)).shape)

# case: the program moves the layers and trains them
# unsafe
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(3, 3).to(device) for _ in range(2)]
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


net = Net().to(device)
hidden = [p for layer in net.layers for p in layer.parameters()]
optimizer = torch.optim.SGD([*net.parameters(), *hidden], lr=0.1)
print(net(torch.ones(2, 3, device=device)).shape)

# case: an object that is no module
# unsafe
import torch
from torch import nn


class Bank:
    def __init__(self):
        self.items = [nn.Linear(3, 3) for _ in range(2)]

# case: a net that nobody makes and a function that nobody calls: nothing moves by halves
# reports: DFX101 DFX103 DFX112
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(3, 3) for _ in range(2)]
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)



def evaluate(n):
    net = Net()
    return net(torch.ones(n, 3)).sum()
