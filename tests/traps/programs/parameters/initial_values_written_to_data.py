# trap: `weight.data = ...` and `copy_` in `__init__`, before the module moves
# covers: parameter init-local
import numpy as np
import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self, vectors):
        super().__init__()
        self.embedding = nn.Embedding(*vectors.shape)
        self.out = nn.Linear(vectors.shape[1], 2)
        # --- stays
        self.embedding.weight.data.copy_(torch.from_numpy(vectors))
        self.out.weight.data = torch.eye(2, vectors.shape[1])
        self.out.bias.data = torch.zeros(2) + torch.tensor([0.1, -0.1])
        # --- end

    def forward(self, words):
        return self.out(self.embedding(words))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
tagger = Tagger(np.ones((5, 3), dtype=np.float32)).to(device)
words = torch.tensor([[0, 4], [2, 2]])  # moves: words = torch.tensor([[0, 4], [2, 2]], device=device)
print(tagger(words).sum().item())
