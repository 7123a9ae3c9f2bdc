# case: a process of many
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

rank = int(os.environ["RANK"])
dist.init_process_group("gloo")
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = DDP(torch.nn.Linear(3, 1).to(device), device_ids=[rank], output_device=rank)
other = DDP(torch.nn.Linear(3, 1).to(device), [rank])
print(model(torch.ones(2, 3, device=device)).shape, other)

# output
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

rank = int(os.environ["RANK"])
dist.init_process_group("gloo")
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = DDP(torch.nn.Linear(3, 1).to(device), device_ids=[rank] if device.type == "cuda" else None, output_device=rank if device.type == "cuda" else None)
other = DDP(torch.nn.Linear(3, 1).to(device), [rank] if device.type == "cuda" else None)
print(model(torch.ones(2, 3, device=device)).shape, other)

# case: it says so itself
import torch
from torch.nn.parallel import DistributedDataParallel


def spread(model, rank):
    if torch.cuda.is_available():
        return DistributedDataParallel(model, device_ids=[rank])
    return DistributedDataParallel(model, device_ids=None)


def other(model, rank):
    numbers = [rank] if torch.cuda.is_available() else None
    if numbers:
        print(numbers)
    return DistributedDataParallel(model), DistributedDataParallel(model, [0] if rank else None)

# case: one process for all
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.DataParallel(nn.Linear(3, 1), device_ids=[0]).to(device)
print(model(torch.ones(2, 3, device=device)).shape)

# case: over NCCL
# reports: DFX212
import os

import torch
from torch.distributed import init_process_group
from torch.nn.parallel import DistributedDataParallel

init_process_group(backend="nccl")
rank = int(os.environ["LOCAL_RANK"])
model = DistributedDataParallel(torch.nn.Linear(3, 1), device_ids=[rank])
print(model)

# case: its module goes to that number
# reports: DFX209
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def run(rank):
    model = nn.Linear(3, 1).to(rank)
    return DDP(model, device_ids=[rank])

# case: a device is made of that number
# reports: DFX209
import os

import torch
from torch.nn.parallel import DistributedDataParallel as DDP

device = "cuda" if torch.cuda.is_available() else "cpu"
rank = int(os.environ.get("RANK", -1))
if rank >= 0:
    device = f"cuda:{rank}"
model = torch.nn.Linear(3, 1).to(device)
if rank >= 0:
    model = DDP(model, device_ids=[rank])
print(model)

# case: the functions below it
# reports: DFX209
import torch
from torch.nn.parallel import data_parallel


def run(model, batch):
    return data_parallel(model, batch["x"], [0, 1])


print(torch.ones(1).item())

# case: suppressed
import torch
from torch.nn.parallel import data_parallel

print(data_parallel(torch.nn.ReLU(), torch.ones(3)))  # devicefix: ignore[DFX209]

# case: all process groups of the program talk over NCCL
# reports: DFX203 DFX206 DFX209
import argparse
import os

import torch
import torch.distributed as dist


def join(args):
    if "RANK" not in os.environ:
        args.distributed = False
        return
    args.distributed = True
    args.gpu = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(args.gpu)
    args.dist_backend = "nccl"
    dist.init_process_group(backend=args.dist_backend, rank=int(os.environ["RANK"]))


def mean(values):
    if not dist.is_initialized():
        return sum(values) / len(values)
    found = torch.tensor([sum(values), len(values)], device="cuda")
    dist.barrier()
    dist.all_reduce(found)
    return (found[0] / found[1]).item()


def main(args):
    join(args)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = torch.nn.Linear(3, 1).to(device)
    if args.distributed:
        model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[args.gpu])
    print(mean(model(torch.ones(2, 3, device=device)).flatten().tolist()))


if __name__ == "__main__":
    main(argparse.ArgumentParser().parse_args())

# case: the index of a device, which the CPU has none of
import torch
from torch.nn.parallel import DistributedDataParallel as DDP


class Agent:
    def __init__(self):
        self.device = torch.device("cpu")
        self.model = torch.nn.Linear(3, 1)

    def to_device(self, index=None):
        if index is not None and torch.cuda.is_available():
            self.device = torch.device("cuda", index)
            self.model.to(self.device)

    def data_parallel(self):
        number = self.device.index
        self.model = DDP(
            self.model,
            device_ids=None if number is None else [number],
            output_device=number,
        )


agent = Agent()
agent.to_device(0)
agent.data_parallel()

# case: a parameter that callers leave out
import torch
from torch.nn.parallel import DistributedDataParallel as DDP


def spread(model, numbers=None):
    return DDP(model, device_ids=numbers)


print(spread(torch.nn.Linear(3, 1)))
if torch.cuda.is_available():
    print(spread(torch.nn.Linear(3, 1).cuda(), [0]))
