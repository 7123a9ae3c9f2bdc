# trap: vectors handed to `from_pretrained` travel with the layer
# covers: parameter numpy
import numpy as np
import torch
from torch import nn


def load_vectors(count, size):
    return np.arange(count * size, dtype=np.float32).reshape(count, size)


vectors = torch.from_numpy(load_vectors(6, 2))  # stays
vectors = vectors / vectors.norm(dim=1, keepdim=True).clamp(min=1)  # stays
embedding = nn.Embedding.from_pretrained(vectors, freeze=True)  # stays
encoder = nn.Sequential(embedding, nn.Flatten(), nn.Linear(6, 1))  # moves
print(encoder(torch.tensor([[1, 2, 3]])).shape)  # moves
