# Uses only the CPU, even on a machine with a GPU.
import torch
from torch import nn

from data import batches, running_mean
from model import Tagger

torch.manual_seed(0)
model = Tagger(50, 2)
weight = torch.tensor([1.0, 1.5])
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

for words, tags in batches():
    scores = model(words)
    loss = nn.functional.cross_entropy(scores.flatten(0, 1), tags.flatten(), weight=weight)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

print(f"loss {loss.item():.4f}, tags {scores[0].argmax(dim=1).numpy()}")
print(f"the third word sees {running_mean(12)[2, :4].numpy()}")
