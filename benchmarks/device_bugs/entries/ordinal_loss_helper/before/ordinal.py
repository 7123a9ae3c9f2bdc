import torch
import torch.nn.functional as F


def label_to_levels(label, num_classes):
    return [1.0] * label + [0.0] * (num_classes - 1 - label)


def levels_from_labelbatch(labels, num_classes):
    levels = [label_to_levels(int(label), num_classes) for label in labels]
    return torch.tensor(levels, dtype=torch.float32)


def conditional_loss(logits, levels):
    """Counts a level only where the one below it is reached."""
    reached = torch.cat([torch.ones(levels.shape[0], 1), levels[:, :-1]], dim=1)
    terms = F.logsigmoid(logits) * levels + (F.logsigmoid(logits) - logits) * (1 - levels)
    return -(terms * reached).sum(dim=1).mean()


def logits_to_label(logits):
    return (torch.cumprod(torch.sigmoid(logits), dim=1) > 0.5).sum(dim=1)
