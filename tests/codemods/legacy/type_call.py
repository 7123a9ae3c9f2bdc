# case: a mask of what lives on the device
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
x = torch.ones(2, 3).to(device)
scores = model(x)
mask = (scores > 0).type(torch.FloatTensor)
labels = scores.type("torch.FloatTensor")
print((scores * mask).sum().item(), (labels - scores).sum().item())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
x = torch.ones(2, 3).to(device)
scores = model(x)
mask = (scores > 0).float()
labels = scores.float()
print((scores * mask).sum().item(), (labels - scores).sum().item())

# case: a dtype follows the tensor
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.nn.Linear(3, 1).to(device)(torch.ones(2, 3).to(device))
print((x > 0).type(torch.float32).sum().item(), x.type(), x.type_as(x).sum().item())

# case: data of the host
import numpy as np
import torch

print(torch.from_numpy(np.ones(3)).type(torch.FloatTensor).sum().item())

# case: the move to the CPU is what the next lines need, or may need
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
scores = model(torch.ones(2, 3).to(device)).detach()
onto_cpu = scores.type("torch.FloatTensor")
table = torch.zeros(2, 1)
kept = []
kept.append(scores.type(torch.FloatTensor))
labels = scores.type("torch.LongTensor")
print((onto_cpu + table).sum(), onto_cpu.numpy().sum(), labels.sum().item())


def halves(x):
    return x.type(torch.DoubleTensor) / torch.tensor([2.0])


print(halves(scores))

# case: used on both sides, it is moved where the device needs it
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
scores = model(torch.ones(2, 3).to(device)).detach()
mask = (scores > 0).type(torch.FloatTensor)
print(mask.numpy().sum())
few = (scores > 1).type(torch.FloatTensor)
print((scores * mask * few).sum())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
scores = model(torch.ones(2, 3).to(device)).detach()
mask = (scores > 0).type(torch.FloatTensor)
print(mask.numpy().sum())
few = (scores > 1).float()
print((scores * mask.to(device) * few).sum())
