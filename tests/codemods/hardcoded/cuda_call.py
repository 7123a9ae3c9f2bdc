# case: statements that follow each other
import torch

torch.cuda.set_device(0)
torch.cuda.reset_peak_memory_stats()

model = torch.nn.Linear(3, 1).cuda()
for step in range(2):
    print(model(torch.ones(2, 3).cuda()).shape)
    torch.cuda.synchronize()  # before the clock is read

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

if torch.cuda.is_available():
    torch.cuda.set_device(0)
    torch.cuda.reset_peak_memory_stats()

model = torch.nn.Linear(3, 1).to(device)
for step in range(2):
    print(model(torch.ones(2, 3, device=device)).shape)
    if torch.cuda.is_available():
        torch.cuda.synchronize()  # before the clock is read

# case: conditions that are there get stricter
import argparse

import torch as th

parser = argparse.ArgumentParser()
parser.add_argument('--gpu', type=int)
args = parser.parse_args()
if args.gpu is not None:
	th.cuda.set_device(args.gpu)
for step in range(4):
	if step % 2 or step > 2: th.cuda.synchronize()
	if step == 3:
		th.cuda.synchronize(
			args.gpu,
		)
	print(step)

# output
import argparse

import torch as th

parser = argparse.ArgumentParser()
parser.add_argument('--gpu', type=int)
args = parser.parse_args()
if args.gpu is not None and th.cuda.is_available():
	th.cuda.set_device(args.gpu)
for step in range(4):
	if (step % 2 or step > 2) and th.cuda.is_available(): th.cuda.synchronize()
	if step == 3 and th.cuda.is_available():
		th.cuda.synchronize(
			args.gpu,
		)
	print(step)

# case: what CUDA knows is printed where there is CUDA
import torch
from torch.cuda import nvtx


def report():
    """What the machine has."""
    nvtx.range_push("report")
    print("running on", torch.cuda.get_device_name(0),
          torch.cuda.get_device_capability(0))
    nvtx.range_pop()
    if torch.cuda.device_count() == 0:
        print("""no device
        at all""")


report()

# output
import torch
from torch.cuda import nvtx


def report():
    """What the machine has."""
    if torch.cuda.is_available():
        nvtx.range_push("report")
        print("running on", torch.cuda.get_device_name(0),
              torch.cuda.get_device_capability(0))
        nvtx.range_pop()
    if torch.cuda.device_count() == 0:
        print("""no device
        at all""")


report()

# case: the current device is chosen again
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
with torch.no_grad(), torch.cuda.device(0):
    print(model(torch.ones(2, 3, device=device)).shape)
with torch.cuda.device(0):
    # in one go
    x = torch.ones(2, 3, device=device)
    print(model(x).shape)

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
with torch.no_grad():
    print(model(torch.ones(2, 3, device=device)).shape)
# in one go
x = torch.ones(2, 3, device=device)
print(model(x).shape)

# case: another device is chosen, or may be
# reports: DFX206
import torch


def work(x, index=None):
    with torch.cuda.device(x.device):
        y = x + 1
    with torch.cuda.device(index if index else 0) as context:
        print(context)
    with torch.cuda.device(0):
        return y * 2

# case: torch itself has no name
from torch import cuda
from torch.cuda import reset_peak_memory_stats

cuda.synchronize()
print(cuda.memory_allocated())

# output
from torch import cuda
from torch.cuda import reset_peak_memory_stats

if cuda.is_available():
    cuda.synchronize()
print(cuda.memory_allocated())

# case: these do not raise
import torch

torch.cuda.manual_seed(1)
torch.cuda.manual_seed_all(1)
torch.cuda.empty_cache()
print(torch.cuda.device_count(), torch.cuda.memory_allocated(), torch.cuda.max_memory_allocated())
with torch.cuda.device(-1), torch.cuda.device(None):
    print(torch.ones(1).item())

# case: something has asked
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true")
args = parser.parse_args()
args.cuda = not args.no_cuda and torch.cuda.is_available()
if args.cuda:
    torch.cuda.set_device(0)
    for step in range(2):
        torch.cuda.synchronize()
if torch.cuda.device_count() > 1:
    print(torch.cuda.get_device_properties(1))
if not torch.cuda.is_available():
    print("no accelerator")
else:
    print(torch.cuda.get_device_name())
name = torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu"
print(name, torch.cuda.is_available() and torch.cuda.current_device())

# case: the device has been asked
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
if device.type == "cuda":
    torch.cuda.synchronize()
print(torch.ones(1, device=device).item())

# case: errors are caught
import torch

try:
    torch.cuda.synchronize()
except Exception:
    print("no accelerator")

# case: values that the program goes on with
# reports: DFX206
import torch

properties = torch.cuda.get_device_properties(0)
print(properties.total_memory)

# case: each process has its own accelerator
# reports: DFX212
import os

import torch


def setup():
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    torch.distributed.init_process_group("nccl")


setup()

# case: the function was left, or the program ended
import torch


def capability(wanted):
    if not torch.cuda.is_available() or not wanted:
        return None
    properties = torch.cuda.get_device_properties(0)
    return properties.major


assert torch.cuda.is_available(), "this program needs CUDA"
torch.cuda.synchronize()
print(capability(True))

# case: a stream that is entered and waited for, and the name of a device
import torch


def log(*what):
    return [*what, torch.cuda.get_device_name()]


class Prefetcher:
    def __init__(self, batches):
        self.batches = iter(batches)
        self.stream = torch.cuda.Stream()

    def next(self):
        with torch.cuda.stream(self.stream):
            batch = next(self.batches)
        torch.cuda.current_stream().wait_stream(self.stream)
        batch.record_stream(torch.cuda.current_stream())
        return batch


print(len(log(Prefetcher([torch.ones(3)]).next().sum().item())))

# output
import torch


def log(*what):
    return [*what, torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu"]


class Prefetcher:
    def __init__(self, batches):
        self.batches = iter(batches)
        self.stream = torch.cuda.Stream() if torch.cuda.is_available() else None

    def next(self):
        with torch.cuda.stream(self.stream):
            batch = next(self.batches)
        if torch.cuda.is_available():
            torch.cuda.current_stream().wait_stream(self.stream)
            batch.record_stream(torch.cuda.current_stream())
        return batch


print(len(log(Prefetcher([torch.ones(3)]).next().sum().item())))

# case: a stream that something else is asked of, and a name that is compared
# reports: DFX206
import torch

stream = torch.cuda.Stream()
large = stream.query() and torch.cuda.get_device_name() == "H100"
event = torch.cuda.current_stream().record_event()

# case: events
# reports: DFX206
import torch

start = torch.cuda.Event(enable_timing=True)
start.record()
print(torch.ones(1).item())

# case: another statement on the line
import torch

x = torch.ones(1); torch.cuda.synchronize(); y = x + 1  # two
print(y.item())

# output
import torch

x = torch.ones(1)
if torch.cuda.is_available():
    torch.cuda.synchronize()
y = x + 1  # two
print(y.item())

# case: another statement on the line of a header
# reports: DFX206
import torch

for x in torch.ones(2): print(x); torch.cuda.synchronize()

# case: only an interrupt is caught
# reports: DFX206
import torch

try:
    stream = torch.cuda.current_stream()
except KeyboardInterrupt:
    print("stopped")
print(torch.ones(1).item())

# case: somebody else's synchronize
import torch


class cuda:
    @staticmethod
    def synchronize():
        print("done")


cuda.synchronize()
print(torch.ones(1).item())

# case: suppressed
import torch

torch.cuda.synchronize()  # devicefix: ignore[DFX206]
print(torch.ones(1).item())

# case: the program compiles CUDA kernels of its own
# reports: DFX212
import torch
from torch.utils.cpp_extension import load

scan = load(name="scan", sources=["scan.cu"])
scan.run()
torch.cuda.synchronize()

# case: waiting, with a torch that knows all accelerators
# min-torch: 2.6
import time

import torch

start = time.time()
torch.cuda.synchronize()
print(time.time() - start > 0)
torch.cuda.synchronize()
torch.cuda.reset_peak_memory_stats()

# output
import time

import torch

start = time.time()
if torch.accelerator.is_available():
    torch.accelerator.synchronize()
print(time.time() - start > 0)
if torch.cuda.is_available():
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()

# case: waiting where something has asked already
# min-torch: 2.6
import torch

if torch.cuda.is_available():
    torch.cuda.synchronize()

# case: a module that has its name where there is CUDA
import torch


class Loader:
    def __init__(self, loader, device):
        self.loader = loader
        self.device = device
        self.is_cuda = device.type == "cuda" and torch.cuda.is_available()

    def __iter__(self):
        backend = None
        if self.is_cuda:
            backend = torch.cuda
        if backend is not None:
            self.stream = backend.Stream(device=self.device)
        for x in self.loader:
            yield x.to(self.device)

# case: a module that has its name anywhere
# reports: DFX206
import torch


def stream(device):
    backend = torch.cuda
    return backend.Stream(device=device)

# case: what stands behind a question for the kind of device
import torch


def card(x):
    if x.device.type != "cuda" or torch.cuda.get_device_capability(x.device)[0] != 10:
        raise RuntimeError("no such card")
    return torch.cuda.get_device_properties(x.device)

# case: what stands behind a question for something else
# reports: DFX206
import torch


def card(x, kind):
    if x.dim() != 2 or torch.cuda.get_device_capability(x.device)[0] != 10:
        raise RuntimeError("no such card")

# case: names for what was asked
import torch


def measure(model, x):
    missing = not torch.cuda.is_available()
    if missing:
        raise RuntimeError("events need CUDA")
    start = torch.cuda.Event(enable_timing=True)
    start.record()
    return model(x), start


def card(x):
    kind = x.device.type
    other = kind != "cuda"
    if other:
        return None
    return torch.cuda.get_device_properties(x.device)

# case: of no cards nothing is asked
import torch

cards = [torch.device("cuda:%d" % i) for i in range(torch.cuda.device_count())]
count = torch.cuda.device_count()
for i in range(count):
    torch.cuda.synchronize(i)
    print(torch.ones(3, device=f"cuda:{i}"), cards[i])

# case: a name that stands for it only where there is CUDA
import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
wait = torch.cuda.synchronize if device == "cuda" else lambda: None
wait()


def step(model, x):
    y = model(x)
    wait()
    return y


def timed(model, x):
    on_card = x.is_cuda
    done = torch.cuda.synchronize if on_card else print
    y = model(x)
    done()
    return y

# case: a name that always stands for it
import torch

wait = torch.cuda.synchronize
wait()

# output
import torch

wait = torch.cuda.synchronize
if torch.cuda.is_available():
    wait()

# case: what waits by the name of a parameter keeps that name
# min-torch: 2.6
import torch


def timed(wait):
    wait()
    return torch.ones(3).sum().item()


if torch.cuda.is_available():
    print(timed(torch.cuda.synchronize))

# output
import torch


def timed(wait):
    if torch.cuda.is_available():
        wait()
    return torch.ones(3).sum().item()


if torch.cuda.is_available():
    print(timed(torch.cuda.synchronize))

# case: it is told by its name, and asked before
# min-torch: 2.6
import torch


def timed(wait=None):
    if wait is not None:
        wait()
    return torch.ones(3).sum().item()


print(timed())

# case: a guard beside a device that the user alone chooses
# reports: DFX206
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--gpu", type=int, default=0)
args = parser.parse_args()
if args.gpu:
    torch.cuda.set_device(args.gpu)
device = "cuda" if args.gpu else "cpu"
net = torch.nn.Linear(3, 1).to(device)
print(net(torch.ones(2, 3).to(device)).sum())

# case: a function that measures the memory of CUDA
# reports: DFX206
import torch


def peak(fn, *inputs):
    torch.cuda.reset_peak_memory_stats()
    fn(*inputs)
    torch.cuda.synchronize()
    return torch.cuda.max_memory_allocated()

# case: the device of the guarded call stays as it is
import torch

torch.cuda.set_device(torch.device("cuda:0"))
net = torch.nn.Linear(3, 1).cuda()
print(net(torch.ones(2, 3).cuda()).sum())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

if torch.cuda.is_available():
    torch.cuda.set_device(torch.device("cuda:0"))
net = torch.nn.Linear(3, 1).to(device)
print(net(torch.ones(2, 3, device=device)).sum())
