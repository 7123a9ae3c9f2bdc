from collections import Counter

import torch
import torch.nn as nn


class Trainer:
    """Trains a residue classifier; rare classes may weigh more."""

    def __init__(self, model, dataset, device, use_class_weights=False, lr=0.01):
        self.device = device
        self.model = model.to(device)
        self.dataset = dataset
        weights = self.class_weights() if use_class_weights else None
        self.criterion = nn.CrossEntropyLoss(weight=weights, ignore_index=-100)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=lr)

    def class_weights(self):
        counts = Counter(label for _, labels in self.dataset for label in labels.tolist())
        total = sum(counts.values())
        weights = [total / (len(counts) * counts[c]) for c in sorted(counts)]
        return torch.tensor(weights, device=self.device)

    def epoch(self):
        self.model.train()
        losses = []
        for embeddings, labels in self.dataset:
            embeddings, labels = embeddings.to(self.device), labels.to(self.device)
            loss = self.criterion(self.model(embeddings), labels)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            losses.append(loss.item())
        return sum(losses) / len(losses)
