import torch
import torch.nn as nn
import torch.nn.functional as F

LOSSES = {}


def register(cls):
    LOSSES[cls.__name__] = cls
    return cls


def build_loss(cfg):
    args = dict(cfg)
    return LOSSES[args.pop("type")](**args)


@register
class CrossEntropyLoss(nn.Module):
    def __init__(self, loss_weight=1.0, class_weight=None):
        super().__init__()
        self.loss_weight = loss_weight
        self.class_weight = None
        if class_weight is not None:
            self.class_weight = torch.tensor(class_weight)

    def forward(self, score, label):
        return self.loss_weight * F.cross_entropy(score, label, weight=self.class_weight)


@register
class BCELossWithLogits(nn.Module):
    def __init__(self, loss_weight=1.0):
        super().__init__()
        self.loss_weight = loss_weight

    def forward(self, score, label):
        target = F.one_hot(label, score.size(1)).float()
        return self.loss_weight * F.binary_cross_entropy_with_logits(score, target)
