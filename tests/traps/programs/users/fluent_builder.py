# trap: a fluent builder whose `.cuda()` only notes a wish
# covers: user-cuda
import torch
from torch import nn


class Job:
    def __init__(self):
        self.wishes = []

    def cuda(self, count=1):
        self.wishes.append(f"cuda x {count}")
        return self

    def to(self, host):
        self.wishes.append(host)
        return self

    def cpu(self):
        self.wishes.append("cpu")
        return self


def submit(job):
    return job.cuda().to("cluster").cpu()  # stays


def build(make, **options):
    return make(**options).cuda(2)  # stays


print(submit(Job()).wishes, build(Job).wishes, Job().cuda().wishes)  # stays
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(2, 1).to(device)
print(model(torch.ones(1, 2)).shape)  # moves
