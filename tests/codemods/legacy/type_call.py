# case: a mask of what lives on the device
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
x = torch.ones(2, 3).to(device)
scores = model(x)
mask = (scores > 0).type(torch.FloatTensor)
labels = scores.detach().type("torch.LongTensor")
print((scores * mask).sum().item(), labels.sum().item())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
x = torch.ones(2, 3).to(device)
scores = model(x)
mask = (scores > 0).float()
labels = scores.detach().long()
print((scores * mask).sum().item(), labels.sum().item())

# case: a dtype follows the tensor
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.nn.Linear(3, 1).to(device)(torch.ones(2, 3).to(device))
print((x > 0).type(torch.float32).sum().item(), x.type(), x.type_as(x).sum().item())

# case: data of the host
import numpy as np
import torch

print(torch.from_numpy(np.ones(3)).type(torch.FloatTensor).sum().item())
