import torch


def pairwise_distances(embeddings, squared=False):
    dot = embeddings @ embeddings.t()
    norm = dot.diag()
    distances = (norm.unsqueeze(0) - 2.0 * dot + norm.unsqueeze(1)).clamp(min=0)
    if not squared:
        zero = (distances == 0).float()
        distances = (1.0 - zero) * torch.sqrt(distances + zero * 1e-16)
    return distances


def triplet_mask(labels):
    """Which (a, p, n) are distinct, with a and p of one class and n of another."""
    distinct = ~torch.eye(labels.size(0)).bool()
    i_not_j, i_not_k, j_not_k = distinct.unsqueeze(2), distinct.unsqueeze(1), distinct.unsqueeze(0)
    different = i_not_j & i_not_k & j_not_k
    equal = labels.unsqueeze(0) == labels.unsqueeze(1)
    return different & equal.unsqueeze(2) & ~equal.unsqueeze(1)


def batch_all_triplet_loss(labels, embeddings, margin):
    distances = pairwise_distances(embeddings)
    loss = distances.unsqueeze(2) - distances.unsqueeze(1) + margin
    loss = (triplet_mask(labels).float() * loss).clamp(min=0)
    positive = (loss > 1e-16).float().sum()
    return loss.sum() / (positive + 1e-16), positive
