# case: a generator and what it draws
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
g = torch.Generator(device="cuda").manual_seed(0)
h = torch.Generator("cuda")
h.manual_seed(1)
noise = torch.randn(3, generator=g, device="cuda")
more = torch.rand(3, generator=h, device=device)
print(noise.sum().item() + more.sum().item())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
g = torch.Generator(device=device).manual_seed(0)
h = torch.Generator(device)
h.manual_seed(1)
noise = torch.randn(3, generator=g, device=device)
more = torch.rand(3, generator=h, device=device)
print(noise.sum().item() + more.sum().item())

# case: what is drawn is made on the host
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
generator = torch.Generator(device=device)
generator.manual_seed(0)


def batch():
    x = torch.randn(8, 3, generator=generator)
    order = torch.randperm(
        8,
        generator=generator,
    )
    return x[order]


print(model(batch()).shape)

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
generator = torch.Generator(device=device)
generator.manual_seed(0)


def batch():
    x = torch.randn(8, 3, generator=generator, device=generator.device)
    order = torch.randperm(
        8,
        generator=generator,
        device=generator.device,
    )
    return x[order]


print(model(batch()).shape)

# case: one of several, and no device in scope
import torch as th

g = th.Generator('cuda:1')
print(th.rand(3, generator=g, device=g.device).sum().item())

# output
import torch as th

g = th.Generator('cuda:1' if th.cuda.is_available() else 'cpu')
print(th.rand(3, generator=g, device=g.device).sum().item())

# case: a generator of the host
import torch
from torch.utils.data import DataLoader, random_split

g = torch.Generator().manual_seed(0)
h = torch.Generator(device="cpu")
first, second = random_split(range(10), [7, 3], generator=g)
loader = DataLoader(first, batch_size=2, shuffle=True, generator=h)
print(torch.randperm(3, generator=g), torch.rand(3, generator=h), len(loader), len(second))

# case: everything in its place
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
g = torch.Generator(device=device).manual_seed(0)
x = torch.rand(3, generator=g, device=device)
x.normal_(generator=g)
print(x.sum().item(), torch.bernoulli(torch.full_like(x, 0.5), generator=g).sum().item(), g.device)

# case: something has asked
import torch

g = torch.Generator("cuda" if torch.cuda.is_available() else "cpu")
if torch.cuda.is_available():
    h = torch.Generator("cuda")
    print(torch.rand(3, generator=h, device="cuda").sum().item())
print(torch.rand(3, generator=g, device=g.device).sum().item())

# case: another generator
import numpy as np
import torch


def generator(device):
    yield device


rng = np.random.default_rng(0)
print(rng.random(3), list(generator("cuda")), torch.ones(1).item())

# case: suppressed
import torch

print(torch.Generator(device="cuda"))  # devicefix: ignore[DFX210]

# case: the program compiles CUDA kernels of its own
# reports: DFX212
import torch
from torch.utils.cpp_extension import load

scan = load(name="scan", sources=["scan.cu"])
scan.forward(torch.Generator("cuda"))
