# trap: every rank has its own device, by number
# covers: several-devices
# needs: several processes
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def main():
    # --- stays
    rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl")
    model = nn.Linear(3, 2).to(rank)
    model = DistributedDataParallel(model, device_ids=[rank])
    x = torch.ones(4, 3, device=rank)
    loss = model(x).pow(2).mean()
    total = loss.detach().clone()
    dist.all_reduce(total)
    # --- end
    loss.backward()


if __name__ == "__main__":
    main()
