import numpy as np
import torch


class KNN:
    """Distance to the nearest training feature, as a score for unknown inputs."""

    def __init__(self, model):
        self.model = model
        self.bank = None

    @torch.no_grad()
    def fit(self, x):
        self.bank = self.model(x).detach().cpu().numpy()
        return self

    @torch.no_grad()
    def predict(self, x):
        z = self.model(x).detach().cpu().numpy()
        distances = np.sqrt(((z[:, None] - self.bank[None]) ** 2).sum(-1))
        return torch.from_numpy(distances.min(axis=1)).to(x.device)
