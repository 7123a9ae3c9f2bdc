# trap: the condition asks where `x` is, not whether there is CUDA
# covers: is-cuda-ternary
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def penalty(x, weights):
    weights = weights.cuda() if x.is_cuda else weights  # stays or: weights = weights.to(x.device)
    return (x * weights).sum()


def rounded(x):
    return x.cuda() if x.is_cuda else x.double()  # stays or: return x.to(device) if x.is_cuda else x.double()


model = nn.Linear(2, 2).to(device)
x = torch.ones(1, 2, device=device)
host = torch.ones(1, 2)  # stays
print(penalty(model(x), torch.ones(2)).shape, penalty(host, torch.ones(2)).item())
print(rounded(host).dtype)  # stays
print(model(torch.zeros(1, 2)).shape)  # moves
