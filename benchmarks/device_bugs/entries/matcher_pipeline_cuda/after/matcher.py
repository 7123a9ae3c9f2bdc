import torch


def mutual_matches(desc0, desc1, threshold=0.5):
    similarity = desc0 @ desc1.t()
    forward = similarity.argmax(1)
    backward = similarity.argmax(0)
    own = torch.arange(len(desc0), device=desc0.device)
    mutual = backward[forward] == own
    keep = mutual & (similarity.max(1).values > threshold)
    return torch.stack([own[keep], forward[keep]], dim=1)
