import torch


class ConfusionMatrix:
    """Counts pairs of true and predicted classes over an epoch."""

    def __init__(self, num_classes):
        self.num_classes = num_classes
        self.confmat = torch.zeros(num_classes, num_classes, dtype=torch.long)

    def reset(self):
        self.confmat.zero_()

    def update(self, preds, target):
        k = (target >= 0) & (target < self.num_classes)
        pairs = self.num_classes * target[k] + preds[k]
        counts = torch.bincount(pairs, minlength=self.num_classes ** 2)
        self.confmat += counts.reshape(self.num_classes, self.num_classes)

    def iou(self):
        intersection = self.confmat.diag().float()
        union = self.confmat.sum(0) + self.confmat.sum(1) - self.confmat.diag()
        return intersection / union.clamp(min=1)
