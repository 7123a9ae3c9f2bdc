# trap: a library of samplers; there is nothing in it that belongs on a device
# covers: sampler sampler-iter
import torch
from torch.utils.data.sampler import BatchSampler, RandomSampler, Sampler


class BalancedSampler(Sampler):
    def __init__(self, labels, generator=None):
        self.labels = torch.as_tensor(labels)
        self.generator = generator

    def __iter__(self):
        groups = [torch.nonzero(self.labels == k).flatten() for k in self.labels.unique()]
        size = min(len(group) for group in groups)
        picked = torch.cat([g[torch.randperm(len(g), generator=self.generator)[:size]] for g in groups])
        return iter(picked[torch.randperm(len(picked), generator=self.generator)].tolist())

    def __len__(self):
        return len(self.labels)


class Repeated(BatchSampler):
    def __iter__(self):
        order = torch.tensor(list(self.sampler))
        for batch in order.split(self.batch_size):
            yield iter(torch.tensor(batch.tolist() * 2))


if __name__ == "__main__":
    torch.manual_seed(0)
    print(sorted(BalancedSampler([0, 1, 1, 0, 1])))
    print([len(list(b)) for b in Repeated(RandomSampler(range(5)), 2, False)])
