# trap: each spawned rank decides about its own device; the main process holds nothing there
# covers: multiprocessing worker
import torch
import torch.multiprocessing as mp
from torch import nn


def run(rank, start):
    device = torch.device(f"cuda:{rank}" if torch.cuda.is_available() else "cpu")
    model = nn.Linear(3, 1).to(device)
    with torch.no_grad():
        model.weight.copy_(start)
    x = torch.ones(2, 3, device=device)
    assert model(x).shape == (2, 1)


if __name__ == "__main__":
    start = torch.full((1, 3), 0.5)
    mp.start_processes(run, args=(start,), nprocs=1, start_method="fork")
    print("done", start.sum().item())
