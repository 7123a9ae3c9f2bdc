# case: a batch size that is multiplied
import argparse

import torch
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--batch-size", type=int, default=2)
args = parser.parse_args([])

n_device = torch.cuda.device_count()
batch_size = args.batch_size * n_device
loader = DataLoader(TensorDataset(torch.ones(4, 3)), batch_size, shuffle=False)
print(sum(x.sum().item() for (x,) in loader), n_device)

# output
import argparse

import torch
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--batch-size", type=int, default=2)
args = parser.parse_args([])

n_device = torch.cuda.device_count()
batch_size = args.batch_size * max(1, n_device)
loader = DataLoader(TensorDataset(torch.ones(4, 3)), batch_size, shuffle=False)
print(sum(x.sum().item() for (x,) in loader), n_device)

# case: by keyword, in an augmented assignment, with a factor more
import torch
from torch.utils.data import BatchSampler, DataLoader, SequentialSampler, TensorDataset

size = 2
size *= torch.cuda.device_count()
data = TensorDataset(torch.ones(4, 3))
for loader in (
    DataLoader(data, batch_size=size),
    DataLoader(data, batch_size=int(2 * torch.cuda.device_count() * 1)),
    DataLoader(data, batch_size=torch.cuda.device_count()),
):
    print(len(loader))
print(list(BatchSampler(SequentialSampler(data), 2 * torch.cuda.device_count(), False))[0])

# output
import torch
from torch.utils.data import BatchSampler, DataLoader, SequentialSampler, TensorDataset

size = 2
size *= max(1, torch.cuda.device_count())
data = TensorDataset(torch.ones(4, 3))
for loader in (
    DataLoader(data, batch_size=size),
    DataLoader(data, batch_size=int(2 * max(1, torch.cuda.device_count()) * 1)),
    DataLoader(data, batch_size=max(1, torch.cuda.device_count())),
):
    print(len(loader))
print(list(BatchSampler(SequentialSampler(data), 2 * max(1, torch.cuda.device_count()), False))[0])

# case: a batch that is divided, in a program that moves its model
import torch
from torch import nn

ids = list(range(torch.cuda.device_count()))
model = nn.DataParallel(nn.Linear(3, 2).cuda(), device_ids=ids)
each = 32 // len(ids)
print(model(torch.ones(each, 3).cuda()).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

ids = list(range(torch.cuda.device_count()))
model = nn.DataParallel(nn.Linear(3, 2).to(device), device_ids=ids)
each = 32 // max(1, len(ids))
print(model(torch.ones(each, 3, device=device)).shape)

# case: what is at least 1 already, or counted where there is a GPU
import torch
from torch.utils.data import DataLoader

count = max(torch.cuda.device_count(), 1)
loader = DataLoader([1, 2], batch_size=2 * count)
if torch.cuda.is_available():
    loader = DataLoader([1, 2], batch_size=2 * torch.cuda.device_count())
if torch.cuda.device_count() > 1:
    loader = DataLoader([1, 2], batch_size=8 // torch.cuda.device_count())
print(len(loader))

# case: no number of a batch
import torch
from torch.utils.data import DataLoader

workers = 4 * torch.cuda.device_count()
total = 2 + torch.cuda.device_count()
print(len(DataLoader([1, 2], batch_size=total, num_workers=workers)))

# case: another count, and another loader
import torch


class Pool:
    def device_count(self):
        return 1


def DataLoader(data, batch_size):
    return data[:batch_size]


print(DataLoader([1, 2], batch_size=2 * torch.cuda.device_count()), 4 / Pool().device_count())

# case: a file with a `max` of its own
# reports: DFX216
import torch


def max(values):
    return sorted(values)[-1]


print(max([1, 2]), 8 // torch.cuda.device_count())
