import copy

import torch


class AveragedModel:
    """An exponential moving average of a model, for evaluation."""

    def __init__(self, model, decay=0.8):
        self.module = copy.deepcopy(model)
        self.module.eval().requires_grad_(False)
        self.decay = decay

    @torch.no_grad()
    def update(self, model):
        for average, parameter in zip(self.module.parameters(), model.parameters()):
            average.mul_(self.decay).add_(parameter.detach(), alpha=1 - self.decay)
