import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset


class Sentences(Dataset):
    def __init__(self, n=40, vocab=30):
        generator = torch.Generator().manual_seed(9)
        lengths = torch.randint(3, 10, (n,), generator=generator).tolist()
        self.items = [torch.randint(1, vocab, (k,), generator=generator) for k in lengths]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        tokens = self.items[i]
        return tokens, int(tokens[0] > 15)


def collate(batch):
    tokens, labels = zip(*batch)
    lengths = torch.tensor([len(t) for t in tokens])
    return pad_sequence(tokens, batch_first=True), lengths, torch.tensor(labels)


class AttentivePooling(nn.Module):
    def __init__(self, vocab=30, dim=24):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=0)
        self.score = nn.Linear(dim, 1)
        self.out = nn.Linear(dim, 2)

    def forward(self, tokens, lengths):
        x = self.embed(tokens)
        positions = torch.arange(tokens.size(1), device=tokens.device)
        padding = positions[None, :] >= lengths[:, None]
        scores = self.score(x).squeeze(-1)
        scores = scores.masked_fill(padding, -1e9)
        weights = torch.softmax(scores, dim=1)
        return self.out((weights.unsqueeze(-1) * x).sum(dim=1))


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader(Sentences(), batch_size=10, collate_fn=collate)
    model = AttentivePooling().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for epoch in range(3):
        losses = []
        for tokens, lengths, labels in loader:
            logits = model(tokens.to(device), lengths.to(device))
            loss = nn.functional.cross_entropy(logits, labels.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        print(epoch, " ".join(f"{loss:.4f}" for loss in losses))


if __name__ == "__main__":
    main()
