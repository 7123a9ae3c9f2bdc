# run:
# run: cpu
import sys
from dataclasses import dataclass, field

import torch
from torch import nn


@dataclass
class OptimConfig:
    lr: float = 0.05
    betas: tuple = (0.9, 0.99)


@dataclass
class Config:
    width: int = 8
    depth: int = 2
    device: str = "cuda" if torch.cuda.is_available() else "cpu"
    data_device: str = "cpu"
    optim: OptimConfig = field(default_factory=OptimConfig)


class Store:
    """Keeps its images where ``data_device`` says."""

    def __init__(self, cfg):
        self.images = [torch.rand(4, 4).to(cfg.data_device) for _ in range(5)]
        self.weights = torch.ones(len(self.images))

    def sample(self, step):
        return self.images[step % len(self.images)], self.weights[step % len(self.images)]


def build(cfg):
    layers = []
    for _ in range(cfg.depth):
        layers += [nn.Linear(cfg.width, cfg.width), nn.ReLU()]
    return nn.Sequential(nn.Linear(4, cfg.width), *layers, nn.Linear(cfg.width, 4))


def main(cfg):
    torch.manual_seed(0)
    store = Store(cfg)
    model = build(cfg).to(cfg.device)
    opt = torch.optim.Adam(model.parameters(), lr=cfg.optim.lr, betas=cfg.optim.betas)
    for step in range(6):
        image, weight = store.sample(step)
        background = torch.rand(4, 4, device=cfg.device) * 0.1
        target = image.to(cfg.device) + background
        loss = (weight.to(cfg.device) * (model(target) - target)).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        store.weights[step % 5] = loss.item()
    print("weights", store.weights.tolist())
    print("mean image", torch.stack(store.images).mean().item())


cfg = Config()
if len(sys.argv) > 1:
    cfg.device = sys.argv[1]
main(cfg)
