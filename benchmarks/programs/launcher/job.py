import torch
from torch import nn

torch.set_num_threads(1)


class Job:
    def __init__(self, rank, world):
        self.rank = rank
        self.world = world
        self.seed = torch.tensor([rank + 1])

    def build(self):
        torch.manual_seed(int(self.seed))
        return nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))

    def run(self):
        model = self.build()
        shard = torch.arange(8.0).view(2, 4)[self.rank % 2 :: self.world]
        out = model(shard)
        return "%d %.5f" % (self.rank, (out.sum() * self.seed).item())
