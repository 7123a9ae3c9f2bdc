"""Softmax regression, judged with NumPy and lists; the exit status says whether it was good."""
import sys
from collections import Counter

import numpy as np
import torch

rng = np.random.RandomState(12)
texts = rng.poisson(1.0, size=(200, 15))
truth = (texts[:, :5].sum(1) > texts[:, 5:10].sum(1)).astype(int) + (texts[:, 10:].sum(1) > 6)
counts = torch.tensor(texts, dtype=torch.float32)
labels = torch.tensor(truth)
weights = torch.zeros(15, 3, requires_grad=True)
bias = torch.zeros(3, requires_grad=True)

for step in range(40):
    scores = counts[:150] @ weights + bias
    loss = torch.nn.functional.cross_entropy(scores, labels[:150])
    loss.backward()
    with torch.no_grad():
        for parameter in (weights, bias):
            parameter -= 0.2 * parameter.grad
            parameter.grad.zero_()

with torch.no_grad():
    chances = torch.softmax(counts[150:] @ weights + bias, dim=1)
guessed = chances.argmax(dim=1).numpy()
actual = labels[150:].numpy()
print("counts", sorted(Counter(labels.tolist()).items()))
for kind in range(3):
    found = np.sum((guessed == kind) & (actual == kind))
    print(kind, "recall", found / max(1, (actual == kind).sum()), "precision", found / max(1, (guessed == kind).sum()))
ranked = chances[:, 1].sort(descending=True).indices.tolist()
print("most like 1:", ranked[:5])
accuracy = float(np.mean(guessed == actual))
print("accuracy %.2f" % accuracy)
sys.exit(0 if accuracy > 0.95 else 3)
