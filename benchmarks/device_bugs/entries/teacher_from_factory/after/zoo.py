import sys

import torch.nn as nn


def mlp_small(num_classes):
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, num_classes))


def mlp_large(num_classes):
    return nn.Sequential(
        nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, num_classes)
    )


def create_model(name, num_classes=4, frozen=False):
    model = getattr(sys.modules[__name__], name)(num_classes)
    if frozen:
        model.eval()
        for parameter in model.parameters():
            parameter.requires_grad_(False)
    return model
