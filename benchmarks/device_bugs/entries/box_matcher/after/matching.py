import torch


def box_iou(a, b):
    top = torch.max(a[:, None, :2], b[None, :, :2])
    low = torch.min(a[:, None, 2:], b[None, :, 2:])
    inter = (low - top).clamp(min=0).prod(2)
    area_a = (a[:, 2:] - a[:, :2]).prod(1)
    area_b = (b[:, 2:] - b[:, :2]).prod(1)
    return inter / (area_a[:, None] + area_b[None] - inter)


class ArgMaxMatcher:
    """The object of each anchor, or -1."""

    def __init__(self, threshold):
        self.threshold = threshold

    def match(self, similarity):
        if similarity.size(0) == 0:
            return -1 * torch.ones(similarity.size(1), dtype=torch.long, device=similarity.device)
        best, index = similarity.max(0)
        return torch.where(best >= self.threshold, index, torch.full_like(index, -1))
