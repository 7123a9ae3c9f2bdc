# case: the choice of the device, and what is called below a check
# min-torch: 2.9
# style: accelerator
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
print(model(torch.ones(3, 4, device=device)).shape)
if torch.cuda.is_available():
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    print(torch.cuda.max_memory_allocated() > 0)

# output
import torch
from torch import nn

device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
model = nn.Linear(4, 2).to(device)
print(model(torch.ones(3, 4, device=device)).shape)
if torch.accelerator.is_available():
    torch.accelerator.synchronize()
    torch.accelerator.reset_peak_memory_stats()
    print(torch.accelerator.max_memory_allocated() > 0)

# case: the form of torch 2.6, and what came later stays
# reports: DFX213
# min-torch: 2.6
# style: accelerator
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(3, 4, device=device)
if torch.cuda.is_available():
    torch.cuda.synchronize()
torch.cuda.empty_cache()
print(x.sum().item())

# output
import torch

device = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else torch.device("cpu")
x = torch.ones(3, 4, device=device)
if torch.accelerator.is_available():
    torch.accelerator.synchronize()
torch.cuda.empty_cache()
print(x.sum().item())

# case: a device that is new
# min-torch: 2.7
# style: accelerator
import torch
from torch import nn

model = nn.Linear(4, 2).cuda()
print(model(torch.ones(3, 4).cuda()).shape)
torch.cuda.synchronize()
print(torch.cuda.device_count())

# output
import torch
from torch import nn

device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")

model = nn.Linear(4, 2).to(device)
print(model(torch.ones(3, 4, device=device)).shape)
if torch.accelerator.is_available():
    torch.accelerator.synchronize()
print(torch.accelerator.device_count() if torch.accelerator.is_available() else 0)

# case: what does nothing without CUDA gets a check, and what gives 0 still does
# min-torch: 2.9
# style: accelerator
import torch

x = torch.ones(3, 4)
del x
torch.cuda.empty_cache()
print(torch.cuda.memory_allocated() / 2**20, f"{torch.cuda.max_memory_allocated():,}")

# output
import torch

x = torch.ones(3, 4)
del x
if torch.accelerator.is_available():
    torch.accelerator.empty_cache()
print((torch.accelerator.memory_allocated() if torch.accelerator.is_available() else 0) / 2**20, f"{(torch.accelerator.max_memory_allocated() if torch.accelerator.is_available() else 0):,}")

# case: an option of the user, by a name and by an attribute
# min-torch: 2.7
# style: accelerator
import argparse
import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true")
args = parser.parse_args()
use_cuda = not args.no_cuda and torch.cuda.is_available()
args.cuda = use_cuda
device = torch.device("cuda" if use_cuda else "cpu")
other = torch.device("cuda:0" if args.cuda else "cpu")
model = nn.Linear(4, 2).to(device)
print(model(torch.ones(3, 4).to(other)).shape)
if args.cuda:
    torch.cuda.synchronize()

# output
import argparse
import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true")
args = parser.parse_args()
use_cuda = not args.no_cuda and torch.accelerator.is_available()
args.cuda = use_cuda
device = torch.device(torch.accelerator.current_accelerator() if use_cuda else "cpu")
other = torch.device(f"{torch.accelerator.current_accelerator()}:0" if args.cuda else "cpu")
model = nn.Linear(4, 2).to(device)
print(model(torch.ones(3, 4).to(other)).shape)
if args.cuda:
    torch.accelerator.synchronize()

# case: an option that is a word of its own, and one that is the name of a device
# min-torch: 2.7
# style: accelerator
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--backend", default="gpu")
args = parser.parse_args()
device = torch.device("cuda" if args.backend == "gpu" and torch.cuda.is_available() else "cpu")
other = torch.device("cuda" if args.backend != "cpu" and torch.cuda.is_available() else "cpu")
print(torch.ones(2, device=device).sum().item(), torch.ones(2, device=other).sum().item())

# output
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--backend", default="gpu")
args = parser.parse_args()
device = torch.device(torch.accelerator.current_accelerator() if args.backend == "gpu" and torch.accelerator.is_available() else "cpu")
other = torch.device(torch.accelerator.current_accelerator() if args.backend != "cpu" and torch.accelerator.is_available() else "cpu")
print(torch.ones(2, device=device).sum().item(), torch.ones(2, device=other).sum().item())

# case: a number that is written into the name
# min-torch: 2.7
# style: accelerator
import torch

number = 0
one = torch.device("cuda:{}".format(number) if torch.cuda.is_available() else "cpu")
two = torch.device("cuda:" + str(number) if torch.cuda.is_available() else "cpu")
three = torch.device("cuda:%d" % number if torch.cuda.is_available() else "cpu")
four = torch.device(f"cuda:{number}" if torch.cuda.is_available() else "cpu")
print([torch.ones(2, device=device).sum().item() for device in (one, two, three, four)])

# output
import torch

number = 0
one = torch.device(f"{torch.accelerator.current_accelerator()}:{{}}".format(number) if torch.accelerator.is_available() else "cpu")
two = torch.device(f"{torch.accelerator.current_accelerator()}:" + str(number) if torch.accelerator.is_available() else "cpu")
three = torch.device(f"{torch.accelerator.current_accelerator()}:%d" % number if torch.accelerator.is_available() else "cpu")
four = torch.device(f"{torch.accelerator.current_accelerator()}:{number}" if torch.accelerator.is_available() else "cpu")
print([torch.ones(2, device=device).sum().item() for device in (one, two, three, four)])

# case: ladders, as an expression and as statements
# min-torch: 2.7
# style: accelerator
import torch

first = torch.device(
    "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
)
if torch.cuda.is_available():
    second = torch.device("cuda")
elif hasattr(torch, "xpu") and torch.xpu.is_available():
    second = torch.device("xpu")
else:
    second = torch.device("cpu")
print(torch.ones(2, device=first).sum().item(), torch.ones(2, device=second).sum().item())

# output
import torch

first = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
second = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
print(torch.ones(2, device=first).sum().item(), torch.ones(2, device=second).sum().item())

# case: a string that is only a device, and strings that are more
# min-torch: 2.7
# style: accelerator
import torch

placed = "cuda" if torch.cuda.is_available() else "cpu"
printed = "cuda" if torch.cuda.is_available() else "cpu"
compared = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.ones(3, 4).to(placed)
print(printed, x.sum().item(), compared == "cuda", torch.zeros(2, device=compared).tolist())

# output
import torch

placed = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
printed = str(torch.accelerator.current_accelerator(check_available=True) or "cpu")
compared = str(torch.accelerator.current_accelerator(check_available=True) or "cpu")
x = torch.ones(3, 4).to(placed)
print(printed, x.sum().item(), compared == "cuda", torch.zeros(2, device=compared).tolist())

# case: a string, with torch 2.6
# min-torch: 2.6
# style: accelerator
import torch

name = "cuda" if torch.cuda.is_available() else "cpu"
print(name, torch.ones(3, 4).to(name).sum().item())

# output
import torch

name = str(torch.accelerator.current_accelerator()) if torch.accelerator.is_available() else "cpu"
print(name, torch.ones(3, 4).to(name).sum().item())

# case: a device that a condition sets, and one with a comment beside it
# min-torch: 2.8
# style: accelerator
import torch

device = torch.device("cpu")
if torch.cuda.is_available():
    device = torch.device("cuda")
if torch.cuda.is_available():
    name = "cuda"  # the fast one
else:
    name = "cpu"
if torch.cuda.device_count() > 1:
    with torch.cuda.device(1):
        print(torch.cuda.current_device())
    last = torch.device("cuda", torch.cuda.device_count() - 1)
    print(f"{torch.ones(2, device=last)}")
print(name, torch.ones(3, 4).to(device).sum().item())

# output
import torch

device = torch.device("cpu")
if torch.accelerator.is_available():
    device = torch.accelerator.current_accelerator()
if torch.accelerator.is_available():
    name = str(torch.accelerator.current_accelerator())  # the fast one
else:
    name = "cpu"
if torch.accelerator.device_count() > 1:
    with torch.accelerator.device_index(1):
        print(torch.accelerator.current_device_index())
    last = torch.device(torch.accelerator.current_accelerator().type, torch.accelerator.device_count() - 1)
    print(f"{torch.ones(2, device=last)}")
print(name, torch.ones(3, 4).to(device).sum().item())

# case: arguments are given by position, and an error is the same one
# min-torch: 2.10
# style: accelerator
import torch as th

try:
    if th.cuda.is_available():
        th.cuda.synchronize(device=0)
        free, total = th.cuda.mem_get_info()
        print(free < total)
except th.cuda.OutOfMemoryError:
    print("out of memory")
loader = th.utils.data.DataLoader([1, 2], pin_memory=th.cuda.is_available())
print(len(loader))

# output
import torch as th

try:
    if th.accelerator.is_available():
        th.accelerator.synchronize(0)
        free, total = th.accelerator.get_memory_info()
        print(free < total)
except th.OutOfMemoryError:
    print("out of memory")
loader = th.utils.data.DataLoader([1, 2], pin_memory=th.accelerator.is_available())
print(len(loader))

# case: what has no generic form keeps its check, and all below it
# reports: DFX213
# min-torch: 2.9
# style: accelerator
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(torch.ones(3, 4, device=device).sum().item())
if torch.cuda.is_available():
    print(torch.cuda.get_device_name(0))
    torch.cuda.synchronize()
if torch.cuda.is_available():
    torch.cuda.synchronize()

# output
import torch

device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
print(torch.ones(3, 4, device=device).sum().item())
if torch.cuda.is_available():
    print(torch.cuda.get_device_name(0))
    torch.cuda.synchronize()
if torch.accelerator.is_available():
    torch.accelerator.synchronize()

# case: events without streams
# min-torch: 2.7
# style: accelerator
import torch

if torch.cuda.is_available():
    start = torch.cuda.Event(enable_timing=True)
    end = torch.cuda.Event(enable_timing=True)
    start.record()
    end.record()
    torch.cuda.synchronize()
    print(start.elapsed_time(end) >= 0)

# output
import torch

if torch.accelerator.is_available():
    start = torch.Event(enable_timing=True)
    end = torch.Event(enable_timing=True)
    start.record()
    end.record()
    torch.accelerator.synchronize()
    print(start.elapsed_time(end) >= 0)

# case: nobody has asked for that style
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(torch.ones(3, 4, device=device).sum().item())
if torch.cuda.is_available():
    torch.cuda.synchronize()
torch.cuda.empty_cache()

# case: it is any accelerator already
# min-torch: 2.9
# style: accelerator
import torch

device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
print(torch.ones(3, 4, device=device).sum().item())
if torch.accelerator.is_available():
    torch.accelerator.synchronize()
    print(torch.accelerator.memory_allocated())

# case: what means CUDA is compared with it, or sets what only CUDA has
# min-torch: 2.9
# style: accelerator
import torch

torch.backends.cudnn.benchmark = True
torch.backends.cuda.matmul.allow_tf32 = True
device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
x = torch.ones(3, 4, device=device)
print(x.sum().item(), device.type == "cuda", x.is_cuda, str(device).startswith("cuda"))

# case: something that may run below another check keeps all of the file
# reports: DFX206 DFX213
# min-torch: 2.9
# style: accelerator
import torch


def tell(number):
    return torch.cuda.get_device_properties(number).name


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(torch.ones(3, 4, device=device).sum().item())
if torch.cuda.is_available():
    print(tell(0))

# case: something is placed on CUDA by the choice of the user
# reports: DFX213
# min-torch: 2.9
# style: accelerator
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--gpu", action="store_true")
args = parser.parse_args()
wanted = torch.device("cuda" if args.gpu else "cpu")
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(torch.ones(3, 4, device=device).sum().item(), torch.ones(3, device=wanted).sum().item())

# case: lines without a generic form get a check of their own below a flag
# reports: DFX213
# min-torch: 2.9
# style: accelerator
import torch

use_cuda = torch.cuda.is_available()
device = torch.device("cuda" if use_cuda else "cpu")
print(torch.ones(3, 4, device=device).sum().item())
if use_cuda:
    print(torch.cuda.get_device_name(0), torch.cuda.get_device_capability())
    print(torch.cuda.get_device_properties(0).name)
    torch.cuda.synchronize()
if use_cuda:
    torch.cuda.nvtx.range_push("step")

# output
import torch

use_cuda = torch.accelerator.is_available()
device = torch.device(torch.accelerator.current_accelerator() if use_cuda else "cpu")
print(torch.ones(3, 4, device=device).sum().item())
if use_cuda:
    if torch.cuda.is_available():
        print(torch.cuda.get_device_name(0), torch.cuda.get_device_capability())
        print(torch.cuda.get_device_properties(0).name)
    torch.accelerator.synchronize()
if use_cuda:
    if torch.cuda.is_available():
        torch.cuda.nvtx.range_push("step")

# case: a flag that a value without a generic form rests on
# reports: DFX213
# min-torch: 2.9
# style: accelerator
import torch

use_cuda = torch.cuda.is_available()
device = torch.device("cuda" if use_cuda else "cpu")
print(torch.ones(3, 4, device=device).sum().item())
memory = 0
if use_cuda:
    memory = torch.cuda.get_device_properties(0).total_memory
    print(torch.cuda.get_device_name())
print(memory)

# case: streams, and the events that go with them
# reports: DFX213
# min-torch: 2.9
# style: accelerator
import torch

if torch.cuda.is_available():
    stream = torch.cuda.Stream()
    done = torch.cuda.Event()
    with torch.cuda.stream(stream):
        done.record()
    torch.cuda.current_stream().wait_event(done)

# case: a seed of CUDA alone
# reports: DFX213
# min-torch: 2.9
# style: accelerator
import torch

torch.cuda.manual_seed_all(3)
print(torch.ones(3).sum().item())

# case: names of their own
# min-torch: 2.9
# style: accelerator
import torch
import torch as th
import torch.cuda as gpu
from torch import cuda
from torch.cuda import is_available, synchronize

device = torch.device("cuda" if is_available() else "cpu")
if th.cuda.is_available():
    synchronize()
print(torch.ones(3, 4, device=device).sum().item(), gpu.device_count() >= cuda.device_count())

# output
import torch
import torch as th

device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
if th.accelerator.is_available():
    torch.accelerator.synchronize()
print(torch.ones(3, 4, device=device).sum().item(), torch.accelerator.device_count() >= torch.accelerator.device_count())

# case: a name of its own that means something else, too
# reports: DFX213
# min-torch: 2.9
# style: accelerator
import torch
from torch.cuda import synchronize

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
if torch.cuda.is_available():
    import torch as th
    th.cuda.synchronize()
th = 3
print(torch.ones(3, 4, device=device).sum().item())

# output
import torch
from torch.cuda import synchronize

device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
if torch.cuda.is_available():
    import torch as th
    th.cuda.synchronize()
th = 3
print(torch.ones(3, 4, device=device).sum().item())

# case: a context that may be given something else than a number
# reports: DFX213
# min-torch: 2.9
# style: accelerator
import torch

device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
x = torch.ones(3, 4, device=device)
if torch.cuda.is_available():
    with torch.cuda.device(x.device):
        print(x.sum().item())

# case: the program needs CUDA
# reports: DFX212
# min-torch: 2.9
# style: accelerator
import torch

assert torch.cuda.is_available()
x = torch.ones(3, 4, device="cuda")
torch.cuda.synchronize()
print(x.sum().item())

# case: another thing is called torch
# min-torch: 2.9
# style: accelerator
import torch


class Lamp:
    def is_available(self):
        return True

    def cuda(self):
        return self


lamp = Lamp()
print(lamp.cuda().is_available(), torch.ones(3).sum().item())

# case: suppressed
# min-torch: 2.9
# style: accelerator
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")  # devicefix: ignore[DFX213]
print(torch.ones(3, 4, device=device).sum().item())

# case: mixed precision for CUDA by its type of device
# min-torch: 2.8
# style: accelerator
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
scaler = torch.amp.GradScaler("cuda")
with torch.autocast(device_type="cuda", dtype=torch.float16):
    loss = model(torch.ones(3, 4, device=device)).sum()
with torch.amp.autocast("cuda", torch.float16, False):
    print(model(torch.ones(3, 4, device=device)).shape)
scaler.scale(loss).backward()

# output
import torch
from torch import nn

device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
model = nn.Linear(4, 2).to(device)
scaler = torch.amp.GradScaler(device.type, enabled=device.type != "cpu")
with torch.autocast(device_type=device.type, dtype=torch.float16, enabled=device.type != "cpu"):
    loss = model(torch.ones(3, 4, device=device)).sum()
with torch.amp.autocast(device.type, torch.float16, False):
    print(model(torch.ones(3, 4, device=device)).shape)
scaler.scale(loss).backward()

# case: mixed precision below a check of its own, and an option
# min-torch: 2.8
# style: accelerator
import torch
from torch import nn

amp = True
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
with torch.autocast("cuda", enabled=torch.cuda.is_available()):
    print(model(torch.ones(3, 4, device=device)).shape)
with torch.autocast("cuda", enabled=amp and torch.cuda.is_available()):
    print(model(torch.ones(3, 4, device=device)).shape)

# output
import torch
from torch import nn

amp = True
device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
model = nn.Linear(4, 2).to(device)
with torch.autocast(device.type, enabled=device.type != "cpu"):
    print(model(torch.ones(3, 4, device=device)).shape)
with torch.autocast(device.type, enabled=amp and torch.accelerator.is_available() and device.type != "cpu"):
    print(model(torch.ones(3, 4, device=device)).shape)

# case: a context of mixed precision that the user names
# min-torch: 2.8
# style: accelerator
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--kind", default="cpu")
kind = parser.parse_args().kind
with torch.autocast(kind):
    print(torch.is_grad_enabled())

# case: seeds of CUDA beside the seed of all
# min-torch: 2.7
# style: accelerator
import random

import numpy as np
import torch


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.cuda.manual_seed(seed)
    torch.cuda.manual_seed_all(seed)


def seed_some(seed):
    if torch.cuda.is_available():
        torch.cuda.manual_seed_all(seed)
    torch.manual_seed(seed)
    return torch.rand(1).item()


seed_all(3)
print(torch.rand(1).item(), seed_some(4))

# output
import random

import numpy as np
import torch


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def seed_some(seed):
    torch.manual_seed(seed)
    return torch.rand(1).item()


seed_all(3)
print(torch.rand(1).item(), seed_some(4))

# case: another seed, one that is drawn from, and one that is computed
# reports: DFX213
# min-torch: 2.7
# style: accelerator
import torch

torch.manual_seed(3)
torch.cuda.manual_seed(4)
print(torch.rand(1).item())
torch.manual_seed(5)
first = torch.rand(1).item()
torch.cuda.manual_seed_all(5)
torch.manual_seed(hash(first))
torch.cuda.manual_seed_all(hash(first))

# case: a question that only CUDA can be asked beside a check
# reports: DFX213
# min-torch: 2.9
# style: accelerator
import torch

dtype = torch.bfloat16 if torch.cuda.is_available() and torch.cuda.is_bf16_supported() else torch.float32
print(torch.ones(3, dtype=dtype).sum().item())

# case: below a condition that names CUDA
# min-torch: 2.9
# style: accelerator
import torch

device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
x = torch.ones(3, 4, device=device)
kind = "cuda" if device.type == "cuda" else "cpu"
if x.is_cuda:
    y = torch.ones(3, 4).to("cuda")
print(kind, x.sum().item())

# case: NCCL below a check, or beside another backend
# min-torch: 2.9
# style: accelerator
import torch
import torch.distributed as dist


def start(rank):
    if torch.cuda.is_available():
        dist.init_process_group("nccl")
        torch.cuda.set_device(rank)
    else:
        dist.init_process_group(backend="gloo")


def begin():
    dist.init_process_group(backend="nccl" if torch.cuda.is_available() else "gloo")


print(torch.ones(3).sum().item())

# output
import torch
import torch.distributed as dist


def start(rank):
    if torch.accelerator.is_available():
        dist.init_process_group(torch.distributed.get_default_backend_for_device(torch.accelerator.current_accelerator()))
        torch.accelerator.set_device_index(rank)
    else:
        dist.init_process_group(backend="gloo")


def begin():
    dist.init_process_group(backend=torch.distributed.get_default_backend_for_device(torch.accelerator.current_accelerator(check_available=True) or "cpu"))


print(torch.ones(3).sum().item())

# case: NCCL keeps its check with a torch that knows no backend of MPS
# reports: DFX213
# min-torch: 2.8
# style: accelerator
import torch
import torch.distributed as dist


def start():
    if torch.cuda.is_available():
        dist.init_process_group("nccl")


print(torch.ones(3).sum().item())

# case: NCCL that the user may choose keeps nothing else
# reports: DFX213
# min-torch: 2.9
# style: accelerator
import argparse
import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--backend", default="nccl")
parser.add_argument("--distributed", action="store_true")
args = parser.parse_args()
if args.distributed:
    dist.init_process_group(args.backend)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(torch.ones(3, device=device).sum().item())

# output
import argparse
import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--backend", default="nccl")
parser.add_argument("--distributed", action="store_true")
args = parser.parse_args()
if args.distributed:
    dist.init_process_group(args.backend)
device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
print(torch.ones(3, device=device).sum().item())

# case: NCCL by another question
# reports: DFX213
# min-torch: 2.9
# style: accelerator
import torch
import torch.distributed as dist


def start():
    if torch.cuda.is_available():
        dist.init_process_group("nccl" if dist.is_nccl_available() else "gloo")


print(torch.ones(3).sum().item())

# case: types that are only named
# min-torch: 2.9
# style: accelerator
from __future__ import annotations

import torch


def wait(stream: torch.cuda.Stream | None) -> None:
    if isinstance(stream, torch.cuda.Stream):
        stream.synchronize()


wait(None)
print(torch.ones(3).sum().item())

# case: other accelerators by their names
# min-torch: 2.9
# style: accelerator
import torch

first = torch.device("mps" if torch.backends.mps.is_available() else "cpu")
second = torch.device("xpu" if torch.xpu.is_available() else "cpu")
print(torch.ones(3, device=first).sum().item(), torch.ones(3, device=second).sum().item())

# case: words of an option
# min-torch: 2.9
# style: accelerator
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
args = parser.parse_args()
print(torch.ones(3, device=args.device).sum().item())

# case: a name that is handed on
# reports: DFX213
# min-torch: 2.9
# style: accelerator
import torch


if torch.cuda.is_available():
    waits = [torch.cuda.synchronize]
    print(len(waits))

# case: a condition that names CUDA decides what is moved
# reports: DFX213
# min-torch: 2.9
# style: accelerator
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 2).to(device)
x = torch.ones(4, 3)
if device.type == "cuda":
    x = x.to(device)
print(net(x).shape)

# case: a tensor type of CUDA beside a device
# reports: DFX213
# min-torch: 2.9
# style: accelerator
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Model:
    def __init__(self, ids):
        self.Tensor = torch.cuda.FloatTensor if ids and torch.cuda.is_available() else torch.FloatTensor
        self.net = nn.Linear(3, 1).to(device)

    def step(self):
        return self.net(self.Tensor(4, 3).fill_(1.0))


print(Model([0] if torch.cuda.is_available() else []).step().shape)

# case: float64 on the device, of which MPS has none
# reports: DFX213 DFX303
# style: accelerator
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
doubles = torch.from_numpy(np.ones((4, 3))).to(device, dtype=torch.float64)
print(doubles.sum().item())

# case: a module of doubles, by the choice of the device
# reports: DFX213
# style: accelerator
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).double().to(device)
print(model(torch.ones(4, 3).double().to(device)).shape)

# case: float64 that stays on the host
# style: accelerator
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(4, 3).to(device)
total = torch.zeros(1, dtype=torch.float64)
print(x.sum().item(), total.item())

# output
import torch

device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
x = torch.ones(4, 3).to(device)
total = torch.zeros(1, dtype=torch.float64)
print(x.sum().item(), total.item())

# case: what splits batches with CUDA alone keeps its check, also where a function makes it
# reports: DFX213
# min-torch: 2.9
# style: accelerator
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 2).to(device)
if torch.cuda.is_available():
    net = nn.DataParallel(net)


def split(module):
    return nn.DataParallel(module)


head = nn.Linear(2, 1).to(device)
if torch.cuda.device_count() > 1:
    head = split(head)
print(head(net(torch.ones(4, 3, device=device))).shape)

# output
import torch
from torch import nn

device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
net = nn.Linear(3, 2).to(device)
if torch.cuda.is_available():
    net = nn.DataParallel(net)


def split(module):
    return nn.DataParallel(module)


head = nn.Linear(2, 1).to(device)
if torch.cuda.device_count() > 1:
    head = split(head)
print(head(net(torch.ones(4, 3, device=device))).shape)

# case: batches that are split whatever the machine has
# reports: DFX213
# min-torch: 2.9
# style: accelerator
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.DataParallel(nn.Linear(3, 2).to(device))
print(net(torch.ones(4, 3, device=device)).shape)

# output
import torch
from torch import nn

device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
net = nn.DataParallel(nn.Linear(3, 2).to(device))
print(net(torch.ones(4, 3, device=device)).shape)

# case: a list of devices that has no other accelerator
# reports: DFX213
# min-torch: 2.9
# style: accelerator
import torch

kind = "cuda" if torch.cuda.is_available() else "cpu"
assert kind.split(":")[0] in ("cpu", "cuda", "mps")
print(torch.ones(3, 4, device=kind).sum().item())

# case: a ladder that raises for other accelerators
# reports: DFX213
# min-torch: 2.9
# style: accelerator
import torch


def threads(kind):
    if kind == "cuda":
        return 1
    elif kind == "cpu":
        return 2
    else:
        raise ValueError(kind)


kind = "cuda" if torch.cuda.is_available() else "cpu"
print(torch.ones(3, 4, device=kind).sum().item(), threads(kind) > 0)

# case: a ladder that any accelerator passes
# min-torch: 2.9
# style: accelerator
import torch

kind = "cuda" if torch.cuda.is_available() else "cpu"
if kind == "cuda":
    threads = 1
elif kind == "cpu":
    threads = 2
else:
    threads = 3
print(torch.ones(3, 4, device=kind).sum().item(), threads > 0)

# output
import torch

kind = str(torch.accelerator.current_accelerator(check_available=True) or "cpu")
if kind == "cuda":
    threads = 1
elif kind == "cpu":
    threads = 2
else:
    threads = 3
print(torch.ones(3, 4, device=kind).sum().item(), threads > 0)

# case: a line that also says what CUDA has given
# reports: DFX213
# min-torch: 2.9
# style: accelerator
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
name = torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu"
print(name, torch.cuda.is_available() and torch.cuda.current_device())
print("CUDA", torch.cuda.is_available(), torch.version.cuda)
print(torch.ones(3, 4, device=device).sum().item(), torch.cuda.device_count() > 64)

# output
import torch

device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
name = torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu"
print(name, torch.cuda.is_available() and torch.cuda.current_device())
print("CUDA", torch.cuda.is_available(), torch.version.cuda)
print(torch.ones(3, 4, device=device).sum().item(), torch.accelerator.device_count() > 64)

# case: the module as a value
# reports: DFX213
# min-torch: 2.9
# style: accelerator
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
backend = torch.cuda if device.type == "cuda" else None
if backend is not None:
    print(backend.device_count())
print(torch.ones(3, 4, device=device).sum().item())

# output
import torch

device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
backend = torch.cuda if device.type == "cuda" else None
if backend is not None:
    print(backend.device_count())
print(torch.ones(3, 4, device=device).sum().item())

# case: a device by its number, which other accelerators may not have
# reports: DFX213
# min-torch: 2.9
# style: accelerator
import torch

rank = 1
device = torch.device(f"cuda:{rank}" if torch.cuda.is_available() else "cpu")
other = torch.device("cuda", rank) if torch.cuda.is_available() else torch.device("cpu")
third = torch.device("cuda:1" if torch.cuda.is_available() else "cpu")
if torch.cuda.is_available():
    torch.cuda.set_device(1)
    print(torch.device("cuda:%d" % rank))
print(torch.ones(3).to(device).sum().item(), other.type == third.type)

# case: a device by its number, where the devices have been counted
# min-torch: 2.9
# style: accelerator
import torch

device = torch.device("cuda:1" if torch.cuda.device_count() > 1 else "cpu")
if torch.cuda.device_count() > 1:
    torch.cuda.synchronize(1)
print(torch.ones(3).to(device).sum().item())

# output
import torch

device = torch.device(f"{torch.accelerator.current_accelerator()}:1" if torch.accelerator.device_count() > 1 else "cpu")
if torch.accelerator.device_count() > 1:
    torch.accelerator.synchronize(1)
print(torch.ones(3).to(device).sum().item())

# case: a tensor for another process, which only CUDA's can go to
# reports: DFX213
# min-torch: 2.9
# style: accelerator
import torch
import torch.multiprocessing as mp

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def work(x):
    return x.sum()


if __name__ == "__main__":
    mp.set_start_method("spawn")
    process = mp.Process(target=work, args=(torch.ones(3, device=device),))
    process.start()
    process.join()

# case: a tensor for the workers of a loader
# reports: DFX213 DFX404
# min-torch: 2.9
# style: accelerator
import torch
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
points = torch.ones(8, 3).to(device)
for (x,) in DataLoader(TensorDataset(points), batch_size=4, num_workers=2):
    print(x.sum().item())

# case: a program that fails on the device as it is
# reports: DFX213 DFX401
# min-torch: 2.9
# style: accelerator
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
model(torch.ones(2, 3, device=device)).sum().backward()
for p in model.parameters():
    p.grad.numpy()[:] = np.clip(p.grad.cpu().numpy(), -1, 1)
print(model.weight.grad.sum().item())

# case: an optimizer that is older than the move of its module
# reports: DFX110 DFX213
# min-torch: 2.9
# style: accelerator
import torch
from torch import nn

model = nn.Linear(3, 1)
optimizer = torch.optim.Adagrad(model.parameters())
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model.to(device)
model(torch.ones(4, 3, device=device)).pow(2).mean().backward()
optimizer.step()
print(model.weight.sum().item())

# case: an annotated device by its number
# reports: DFX213
# min-torch: 2.9
# style: accelerator
import torch

rank: int = 1
device: torch.device = torch.device(f"cuda:{rank}" if torch.cuda.is_available() else "cpu")
name: str = torch.cuda.get_device_name(rank) if torch.cuda.is_available() else "cpu"
print(torch.ones(3).to(device).sum().item(), len(name) > 0)

# case: a flag that is handed on to a function, which has asked in each call
# min-torch: 2.9
# style: accelerator
import argparse

import torch
from torch import nn


def trained(model, x, use_cuda):
    if use_cuda:
        x = x.cuda()
    loss = model(x).mean()
    loss.backward()
    if use_cuda:
        torch.cuda.synchronize()
    return loss.item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--no-cuda", action="store_true")
    args = parser.parse_args()
    use_cuda = not args.no_cuda and torch.cuda.is_available()
    model = nn.Linear(3, 1)
    if use_cuda:
        model.cuda()
    print(trained(model, torch.ones(2, 3), use_cuda) < 9)


main()

# output
import argparse

import torch
from torch import nn


def trained(model, x, use_cuda):
    device = torch.device(torch.accelerator.current_accelerator() if use_cuda else "cpu")
    x = x.to(device)
    loss = model(x).mean()
    loss.backward()
    if use_cuda:
        torch.accelerator.synchronize()
    return loss.item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--no-cuda", action="store_true")
    args = parser.parse_args()
    use_cuda = not args.no_cuda and torch.accelerator.is_available()
    device = torch.device(torch.accelerator.current_accelerator() if use_cuda else "cpu")
    model = nn.Linear(3, 1)
    model.to(device)
    print(trained(model, torch.ones(2, 3), use_cuda) < 9)


main()

# case: a flag that is kept by an object
# min-torch: 2.9
# style: accelerator
import torch


class Trainer:
    def __init__(self, use_cuda=False):
        self.use_cuda = use_cuda
        self.device = torch.device("cuda" if use_cuda else "cpu")

    def total(self, x):
        found = x.to(self.device).sum().item()
        if self.use_cuda:
            torch.cuda.synchronize()
        return found


print(Trainer(torch.cuda.is_available()).total(torch.ones(3)))

# output
import torch


class Trainer:
    def __init__(self, use_cuda=False):
        self.use_cuda = use_cuda
        self.device = torch.device(torch.accelerator.current_accelerator() if use_cuda else "cpu")

    def total(self, x):
        found = x.to(self.device).sum().item()
        if self.use_cuda:
            torch.accelerator.synchronize()
        return found


print(Trainer(torch.accelerator.is_available()).total(torch.ones(3)))

# case: a flag that one call has not asked for
# reports: DFX213
# min-torch: 2.9
# style: accelerator
import sys

import torch


def total(x, use_cuda):
    device = torch.device("cuda" if use_cuda else "cpu")
    return x.to(device).sum().item()


print(total(torch.ones(3), torch.cuda.is_available()))
print(total(torch.ones(3), len(sys.argv) > 9))

# case: a function that is handed on itself
# reports: DFX213
# min-torch: 2.9
# style: accelerator
import torch


def total(x, use_cuda):
    device = torch.device("cuda" if use_cuda else "cpu")
    return x.to(device).sum().item()


totals = [total]
print(total(torch.ones(3), torch.cuda.is_available()))
print(totals[0](torch.ones(3), False))

# case: below a flag that is handed on stands what only CUDA has
# reports: DFX213
# min-torch: 2.9
# style: accelerator
import torch


def total(x, use_cuda):
    device = torch.device("cuda" if use_cuda else "cpu")
    if use_cuda:
        torch.cuda.nvtx.range_push("total")
    return x.to(device).sum().item()


print(total(torch.ones(3), torch.cuda.is_available()))

# output
import torch


def total(x, use_cuda):
    device = torch.device(torch.accelerator.current_accelerator() if use_cuda else "cpu")
    if use_cuda:
        if torch.cuda.is_available():
            torch.cuda.nvtx.range_push("total")
    return x.to(device).sum().item()


print(total(torch.ones(3), torch.accelerator.is_available()))

# case: the backend by a flag
# min-torch: 2.9
# style: accelerator
import torch
import torch.distributed as dist


def start(rank, size):
    use_cuda = torch.cuda.is_available()
    dist.init_process_group("nccl" if use_cuda else "gloo", rank=rank, world_size=size)
    if use_cuda:
        torch.cuda.set_device(rank)


print(start)

# output
import torch
import torch.distributed as dist


def start(rank, size):
    use_cuda = torch.accelerator.is_available()
    dist.init_process_group(torch.distributed.get_default_backend_for_device(torch.accelerator.current_accelerator() if use_cuda else "cpu"), rank=rank, world_size=size)
    if use_cuda:
        torch.accelerator.set_device_index(rank)


print(start)

# case: the backend by a flag that has not asked
# reports: DFX213
# min-torch: 2.9
# style: accelerator
import torch
import torch.distributed as dist


def start(rank, size, fast):
    dist.init_process_group("nccl" if fast else "gloo", rank=rank, world_size=size)


print(start, torch.ones(1))
