import torch
import torch.nn as nn


class PerClassRecall:
    def __init__(self, classes):
        self.hits = torch.zeros(classes)
        self.seen = torch.zeros(classes)

    def __call__(self, logits, labels, mask=None):
        if mask is None:
            mask = torch.ones(labels.shape, device=labels.device)
        self.hits, self.seen = self.hits.to(labels.device), self.seen.to(labels.device)
        predictions = logits.argmax(-1)
        for c in range(len(self.hits)):
            of_class = (labels == c) * mask
            self.seen[c] += of_class.sum()
            self.hits[c] += (of_class * (predictions == c)).sum()

    def get(self, reset=True):
        recall = self.hits / self.seen.clamp(min=1)
        if reset:
            self.hits.zero_()
            self.seen.zero_()
        return recall


class Tagger(nn.Module):
    def __init__(self, vocab=25, tags=3):
        super().__init__()
        self.embed = nn.Embedding(vocab, 16)
        self.encoder = nn.GRU(16, 16, batch_first=True, bidirectional=True)
        self.project = nn.Linear(32, tags)
        self.recall = PerClassRecall(tags)

    def forward(self, tokens, labels):
        encoded, _ = self.encoder(self.embed(tokens))
        logits = self.project(encoded)
        self.recall(logits, labels)
        return nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten())


if __name__ == "__main__":
    torch.manual_seed(4)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    tokens = torch.randint(0, 25, (30, 7))
    labels = tokens % 3
    model = Tagger().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.03)
    for epoch in range(3):
        for part in range(0, 30, 10):
            chunk = slice(part, part + 10)
            loss = model(tokens[chunk].to(device), labels[chunk].to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        recalls = [f"{value:.3f}" for value in model.recall.get().tolist()]
        print(f"epoch {epoch} loss {loss.item():.4f} recall", *recalls)
