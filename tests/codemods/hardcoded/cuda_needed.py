# case: it is asserted
# reports: DFX212
import torch

assert torch.cuda.is_available(), "no GPU"
model = torch.nn.Linear(3, 1).cuda()
x = torch.ones(2, 3).cuda()
print(model(x).shape)

# case: the main function raises
# reports: DFX212
import sys

import torch


def main():
    if not torch.cuda.is_available():
        sys.exit("needs a GPU")
    torch.cuda.synchronize()
    model = torch.nn.Linear(3, 1).to("cuda")
    for step in range(3):
        x = torch.ones(2, 3).cuda()
        print(model(x).shape)


if __name__ == "__main__":
    main()

# case: a name for the question, and a loss
# reports: DFX212
import torch

use_cuda = torch.cuda.is_available()
if not use_cuda:
    raise RuntimeError("no GPU")
loss = torch.nn.MSELoss()
model = torch.nn.Linear(3, 1).cuda()
x = torch.ones(2, 3).cuda()
print(loss(model(x), torch.zeros(2, 1).cuda()).item())

# case: NCCL by an option's default, in processes of their own
# reports: DFX212
import argparse

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def setup(rank, args):
    dist.init_process_group(backend=args.dist_backend, rank=rank, world_size=2)
    torch.cuda.set_device(rank)


def worker(rank, args):
    setup(rank, args)
    model = torch.nn.Linear(3, 1).cuda(rank)
    print(model(torch.ones(2, 3).cuda(rank)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dist-backend", default="nccl")
    args = parser.parse_args()
    mp.spawn(worker, nprocs=2, args=(args,))


if __name__ == "__main__":
    main()

# case: NCCL, behind an exit for those who have no CUDA
# reports: DFX212
import argparse
import os
import sys

import torch
import torch.distributed as dist


def join(args):
    if "RANK" in os.environ:
        args.rank = int(os.environ["RANK"])
    elif torch.cuda.is_available():
        args.rank = 0
    else:
        print("no GPU")
        sys.exit(1)
    dist.init_process_group(backend="nccl", rank=args.rank, world_size=1)


def main(args):
    join(args)
    model = torch.nn.Linear(3, 1).cuda()
    print(model(torch.ones(2, 3).cuda()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    main(parser.parse_args())

# case: NCCL in both branches
# reports: DFX212
import os

import torch
import torch.distributed as dist

if "RANK" in os.environ:
    dist.init_process_group("nccl", rank=int(os.environ["RANK"]))
else:
    dist.init_process_group("nccl", rank=0, world_size=1)
model = torch.nn.Linear(3, 1).cuda()
print(model(torch.ones(2, 3).cuda()))

# case: only those who go on need CUDA
import argparse
import sys

import torch
import torch.distributed as dist

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
parser = argparse.ArgumentParser()
parser.add_argument("--evaluate", action="store_true")
args = parser.parse_args()
model = torch.nn.Linear(3, 1).to(device)
if args.evaluate:
    print(model(torch.ones(2, 3, device=device)))
    sys.exit()
dist.init_process_group("nccl")

# case: a kernel of Triton
# reports: DFX212
import torch
import triton
import triton.language as tl


@triton.jit
def double(x, out, n: tl.constexpr):
    at = tl.arange(0, n)
    tl.store(out + at, 2 * tl.load(x + at))


x = torch.ones(16).cuda()
out = torch.empty_like(x)
double[(1,)](x, out, 16)
print(out)

# case: Apex, whatever is decided
# reports: DFX212
import torch
from apex import amp

model = torch.nn.Linear(3, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model, optimizer = amp.initialize(model, optimizer, opt_level="O1")
print(model(torch.ones(2, 3).cuda()))

# case: FlashAttention is imported
# reports: DFX212
import torch
from flash_attn import flash_attn_func

q = torch.ones(1, 8, 2, 16).cuda()
if q.shape[1] > 4:
    print(flash_attn_func(q, q, q))


# case: TensorRT builds what runs
# reports: DFX212
import torch
from torch2trt import torch2trt

model = torch.nn.Linear(3, 1).cuda().eval()
x = torch.ones(2, 3).cuda()
print(torch2trt(model, [x])(x))

# case: Apex may be missing
import torch

try:
    from apex import amp
except ImportError:
    amp = None

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
if amp is not None:
    model = amp.initialize(model)
print(model(torch.ones(2, 3, device=device)))

# case: a condition decides about Apex
import argparse

import torch
from apex import amp

parser = argparse.ArgumentParser()
parser.add_argument("--fp16", action="store_true")
args = parser.parse_args()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
if args.fp16:
    model, optimizer = amp.initialize(model, optimizer, opt_level="O1")
print(model(torch.ones(2, 3, device=device)))

# case: only a distributed run talks over NCCL
import argparse

import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--distributed", action="store_true")
args = parser.parse_args()
if args.distributed:
    dist.init_process_group("nccl")
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
print(model(torch.ones(2, 3, device=device)))

# case: NCCL where there is CUDA
import torch
import torch.distributed as dist

dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
print(model(torch.ones(2, 3, device=device)))

# case: only the option of CUDA is refused without it
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
args = parser.parse_args()
if args.cuda and not torch.cuda.is_available():
    raise RuntimeError("no GPU")
device = torch.device("cuda" if args.cuda else "cpu")
model = torch.nn.Linear(3, 1).to(device)
print(model(torch.ones(2, 3, device=device)))

# case: a test of its own asks
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def measure(model, x):
    if not torch.cuda.is_available():
        raise RuntimeError("events need CUDA")
    start = torch.cuda.Event(enable_timing=True)
    start.record()
    return model(x), start


model = torch.nn.Linear(3, 1).to(device)
print(model(torch.ones(2, 3, device=device)))

# case: a kernel of Triton that may be missing
import torch

try:
    import triton
except ImportError:
    triton = None

x = torch.ones(16)
if triton is not None:
    print(triton.cdiv(16, 4))
print(x)

# case: nothing in it names CUDA besides
import torch

assert torch.cuda.is_available()
print(torch.cuda.get_device_name())

# case: what names it besides would be rewritten for any accelerator
# reports: DFX212
# min-torch: 2.9
# style: accelerator
import torch

assert torch.cuda.is_available()
print(torch.cuda.current_device() >= 0)

# case: TensorRT may be missing
import torch

try:
    from torch2trt import torch2trt
except ImportError:
    torch2trt = None

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
if torch2trt is not None:
    model = torch2trt(model, [torch.ones(2, 3, device=device)])
print(model(torch.ones(2, 3, device=device)))

# case: in that style, a program that does something else without CUDA
# min-torch: 2.9
# style: accelerator
import torch

device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
if device.type == "cpu":
    print("this takes long")
print(torch.ones(3, device=device).sum().item())

# case: a name that is only assigned where CUDA is available
# reports: DFX212
import torch
from torch import nn

use_cuda = torch.cuda.is_available()


def main():
    if use_cuda:
        net = nn.Linear(4, 2).cuda()
    net.eval()
    x = torch.ones(3, 4).cuda()
    print(net(x).sum().item())


main()

# case: a name that is only used where CUDA is available
import torch
from torch import nn

net = nn.Linear(4, 2)
names = []
if torch.cuda.is_available():
    names = [torch.cuda.get_device_name(0)]
    count = len(names)
    print(count)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = net.to(device)
print(net(torch.ones(3, 4, device=device)).sum().item(), len(names))
