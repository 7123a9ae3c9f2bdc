import torch
from torch.optim import Optimizer


class Lookahead(Optimizer):
    """Every k steps, pulls slow copies of the weights towards the fast ones."""

    def __init__(self, base, k=3, alpha=0.5):
        self.base = base
        self.k = k
        self.alpha = alpha
        self.counter = 0
        self.param_groups = base.param_groups
        self.slow_weights = [
            [p.detach().clone() for p in group["params"]] for group in self.param_groups
        ]

    def zero_grad(self):
        self.base.zero_grad()

    @torch.no_grad()
    def step(self):
        self.base.step()
        self.counter += 1
        if self.counter % self.k:
            return
        for group, slow in zip(self.param_groups, self.slow_weights):
            for q, p in zip(slow, group["params"]):
                q.add_(p - q, alpha=self.alpha)
                p.copy_(q)
