import torch


class UnigramSampler:
    """Draws words by their frequency to the power of 3/4."""

    def __init__(self, counts):
        weights = torch.tensor(counts, dtype=torch.float) ** 0.75
        self.weights = weights / weights.sum()

    def sample(self, batch, k):
        flat = torch.multinomial(self.weights, batch * k, replacement=True)
        return flat.view(batch, k)
