from dataclasses import dataclass, field

import torch


def default_device():
    return "cuda" if torch.cuda.is_available() else "cpu"


@dataclass
class Config:
    hidden: int = 32
    epochs: int = 3
    lr: float = 0.02
    device: str = field(default_factory=default_device)
