import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

PAD_TAG = -1


def build_corpus(count):
    generator = torch.Generator().manual_seed(1)
    corpus = []
    for _ in range(count):
        length = int(torch.randint(4, 9, (1,), generator=generator))
        words = torch.randint(1, 25, (length,), generator=generator)
        corpus.append((words, (words > 12).long()))
    return corpus


def collate(batch):
    words, tags = zip(*batch)
    words = pad_sequence(words, batch_first=True)
    tags = pad_sequence(tags, batch_first=True, padding_value=PAD_TAG)
    return words, tags


class Tagger(nn.Module):
    def __init__(self, vocab=25, dim=16):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=0)
        self.conv = nn.Conv1d(dim, dim, 3, padding=1)
        self.out = nn.Linear(dim, 2)

    def forward(self, words):
        x = self.embed(words)
        x = x + torch.relu(self.conv(x.transpose(1, 2))).transpose(1, 2)
        return self.out(x)


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Tagger().to(device)
    loader = DataLoader(
        build_corpus(40),
        batch_size=10,
        num_workers=1,
        collate_fn=collate,
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for epoch in range(2):
        right = total = 0
        for words, tags in loader:
            words, tags = words.to(device), tags.to(device)
            logits = model(words)
            loss = nn.functional.cross_entropy(logits.transpose(1, 2), tags, ignore_index=PAD_TAG)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            known = tags != PAD_TAG
            right += (logits.argmax(-1)[known] == tags[known]).sum().item()
            total += known.sum().item()
        print(f"epoch {epoch}: loss {loss.item():.4f} right {right}/{total}")


if __name__ == "__main__":
    main()
