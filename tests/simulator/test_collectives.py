"""Two processes that talk through gloo about tensors of the device."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.forking import run_text

START = """
import os, sys
import torch
import torch.distributed as dist
from devicefix.simulator import install

other = os.fork()
rank = 1 if other == 0 else 0
install("sim:cuda:2")
store = "file://" + os.path.abspath("store")
dist.init_process_group("gloo", init_method=store, rank=rank, world_size=2)
device = torch.device("cuda", rank)

def full(value, size=2):
    return torch.full((size,), float(value), device=device)
"""
COLLECTIVES = """
x = full(rank + 1)
dist.all_reduce(x)
assert (x.device, x.tolist()) == (device, [3, 3])
later = full(1)
dist.all_reduce(later, async_op=True).wait()
assert later.tolist() == [2, 2]
every = [full(0), full(0)]
dist.all_gather(every, full(rank))
assert [(t.device, t.tolist()) for t in every] == [(device, [0, 0]), (device, [1, 1])]
x = full(rank)
dist.broadcast(x, 1)
assert x.tolist() == [1, 1]
x = full(rank + 1)
dist.reduce(x, 0)
assert rank == 1 or x.tolist() == [3, 3]
x = full(9)
dist.scatter(x, [full(0), full(1)] if rank == 0 else None, 0)
assert x.tolist() == [rank, rank]
if rank == 0:
    dist.send(full(7), 1)
else:
    x = full(0)
    dist.recv(x, 0)
    assert x.tolist() == [7, 7]
host = torch.ones(2)
dist.all_reduce(host)
assert host.tolist() == [2, 2]
dist.barrier()
"""
END = """
dist.destroy_process_group()
if rank == 0:
    assert os.waitpid(other, 0)[1] == 0
"""
PARALLEL = """
from torch import nn
torch.manual_seed(0)
model = nn.parallel.DistributedDataParallel(nn.Linear(4, 1).to(device), device_ids=[rank])
plain = nn.Linear(4, 1)
plain.load_state_dict({k: v.cpu() for k, v in model.module.state_dict().items()})
batches = torch.arange(16.0).reshape(2, 2, 4)
for optimized, batch in ((model, batches[rank]), (plain, batches.reshape(4, 4))):
    optimizer = torch.optim.SGD(optimized.parameters(), lr=0.01)
    for _ in range(3):
        optimizer.zero_grad()
        optimized(batch.to(next(optimized.parameters()).device)).mean().backward()
        optimizer.step()
assert model.module.weight.device == device
torch.testing.assert_close(model.module.weight.cpu(), plain.weight)
"""


@pytest.mark.slow
@pytest.mark.parametrize("program", [COLLECTIVES, PARALLEL], ids=["collectives", "parallel"])
def test_two_processes(program: str, tmp_path: Path) -> None:
    done = run_text(START + program + END, tmp_path)
    assert done.returncode == 0, done.stderr
