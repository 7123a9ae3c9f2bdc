import torch
import torch.nn as nn


class ValueNorm(nn.Module):
    """Normalizes returns by running moments."""

    def __init__(self, shape, beta=0.99, device=torch.device("cpu")):
        super().__init__()
        self.beta = beta
        self.running_mean = torch.zeros(shape).to(device)
        self.running_sq = torch.zeros(shape).to(device)
        self.weight = torch.zeros(1).to(device)

    @torch.no_grad()
    def update(self, values):
        self.running_mean.mul_(self.beta).add_(values.mean(0) * (1 - self.beta))
        self.running_sq.mul_(self.beta).add_(values.pow(2).mean(0) * (1 - self.beta))
        self.weight.mul_(self.beta).add_(1 - self.beta)

    def moments(self):
        mean = self.running_mean / self.weight
        return mean, (self.running_sq / self.weight - mean ** 2).clamp(min=1e-2)

    def normalize(self, values):
        mean, var = self.moments()
        return (values - mean) / var.sqrt()

    def denormalize(self, values):
        mean, var = self.moments()
        return values * var.sqrt() + mean
