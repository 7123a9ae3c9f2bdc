# case: lengths of packed sequences
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
rnn = nn.GRU(3, 5, batch_first=True).to(device)
x = torch.rand(2, 4, 3, device=device)
mask = torch.ones(2, 4, device=device)
lengths, order = mask.sum(1).long().sort(descending=True)
packed = pack_padded_sequence(x[order], lengths, batch_first=True)
output, hidden = rnn(packed)
valid = torch.arange(4, device=device)[None] < lengths[:, None]
print(hidden.sum().item(), valid.sum().item())

# output
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
rnn = nn.GRU(3, 5, batch_first=True).to(device)
x = torch.rand(2, 4, 3, device=device)
mask = torch.ones(2, 4, device=device)
lengths, order = mask.sum(1).long().sort(descending=True)
packed = pack_padded_sequence(x[order], lengths.cpu(), batch_first=True)
output, hidden = rnn(packed)
valid = torch.arange(4, device=device)[None] < lengths[:, None]
print(hidden.sum().item(), valid.sum().item())

# case: states of generators out of a checkpoint
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
generator = torch.Generator()
checkpoint = torch.load("last.pt", map_location=device)
model.load_state_dict(checkpoint["model"])
torch.set_rng_state(checkpoint["rng"])
torch.random.set_rng_state(checkpoint["rng"])
generator.set_state(checkpoint["generator"])

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
generator = torch.Generator()
checkpoint = torch.load("last.pt", map_location=device)
model.load_state_dict(checkpoint["model"])
torch.set_rng_state(checkpoint["rng"].cpu())
torch.random.set_rng_state(checkpoint["rng"].cpu())
generator.set_state(checkpoint["generator"].cpu())

# case: a CPU generator, the result on the device
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
generator = torch.Generator().manual_seed(0)
x = torch.randn(2, 3, generator=generator, device=device)
order = torch.randperm(
    2,
    device=device,
    generator=generator,
)
print(model(x[order]).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
generator = torch.Generator().manual_seed(0)
x = torch.randn(2, 3, generator=generator).to(device)
order = torch.randperm(
    2,
    generator=generator,
).to(device)
print(model(x[order]).sum().item())

# case: a CPU generator that draws from a device tensor
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 4).to(device)
generator = torch.Generator().manual_seed(0)
p = torch.softmax(model(torch.ones(3, device=device)), dim=0)
index = torch.multinomial(p, 2, generator=generator)
print(p[index].sum().item(), p.multinomial(1, generator=generator).item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 4).to(device)
generator = torch.Generator().manual_seed(0)
p = torch.softmax(model(torch.ones(3, device=device)), dim=0)
index = torch.multinomial(p.cpu(), 2, generator=generator)
print(p[index].sum().item(), p.cpu().multinomial(1, generator=generator).item())

# case: split points and histograms
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 4).to(device)
y = model(torch.ones(6, 3, device=device)).detach()
points = torch.tensor([2, 4], device=device)
counts, edges = torch.histogram(y, bins=4)
print([part.shape for part in y.tensor_split(points)], counts.sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 4).to(device)
y = model(torch.ones(6, 3, device=device)).detach()
points = torch.tensor([2, 4], device=device)
counts, edges = torch.histogram(y.cpu(), bins=4)
print([part.shape for part in y.tensor_split(points.cpu())], counts.sum().item())

# case: lengths of the host
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pack_sequence, pad_packed_sequence

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
rnn = nn.GRU(3, 5, batch_first=True).to(device)
x = torch.rand(2, 4, 3, device=device)
lengths = torch.tensor([4, 2])
output, hidden = rnn(pack_padded_sequence(x, lengths, batch_first=True))
more, _ = rnn(pack_padded_sequence(x, lengths.tolist(), batch_first=True))
data, sizes = pad_packed_sequence(output, batch_first=True)
print(hidden.sum().item(), data.shape, sizes, pack_sequence([x[0], x[1]]).data.shape)

# case: states of the host
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
state = torch.get_rng_state()
x = torch.rand(3, device=device)
torch.set_rng_state(state)
checkpoint = torch.load("last.pt", map_location="cpu")
torch.set_rng_state(checkpoint["rng"])
torch.set_rng_state(torch.load("last.pt", map_location=device)["rng"].cpu())
print(x.shape)

# case: generators where they draw
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
here = torch.Generator(device=device).manual_seed(0)
there = torch.Generator().manual_seed(0)
x = torch.rand(3, generator=here, device=device)
y = torch.rand(3, generator=there).to(device)
z = torch.empty(3).normal_(generator=there).to(device)
print((x + y + z).shape, x.uniform_(generator=here).shape)

# case: filled before the move
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
generator = torch.Generator().manual_seed(0)
model = nn.Linear(3, 1)
nn.init.normal_(model.weight, generator=generator)
model.to(device)
print(model(torch.ones(3, device=device)).item())

# case: filled on the device
# reports: DFX403
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
generator = torch.Generator().manual_seed(0)
model = nn.Linear(3, 1).to(device)
nn.init.normal_(model.weight, generator=generator)
noise = torch.empty(2, 3, device=device).normal_(generator=generator)
print(model(noise).sum().item())

# case: methods of the CPU
# reports: DFX403
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(3).to(device) * 2
x.apply_(lambda value: value + 1)
print(x.sum().item())

# case: a loader that pins
# reports: DFX403
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
points = torch.ones(8, 3).to(device)
for (x,) in DataLoader(TensorDataset(points), batch_size=4, pin_memory=True):
    x = x.to(device)
    print(model(x).sum().item())

# case: what somebody hands in to be pinned is on the CPU
import torch


def pinned(batch):
    return batch.pin_memory()

# case: a class of the program pins what it holds
import torch


class Batch:
    def __init__(self, x):
        self.x = x

    def pin_memory(self):
        return self


def pinned(batch):
    return batch.pin_memory()
