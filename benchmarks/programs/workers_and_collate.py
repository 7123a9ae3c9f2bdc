# run:
# run: --workers 2
import argparse

import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset

p = argparse.ArgumentParser()
p.add_argument("--workers", type=int, default=0)
a = p.parse_args()


class Words(Dataset):
    def __init__(self):
        self.words = ["tensor", "gradient", "loss", "a", "network", "epoch", "batch", "learning"]
        self.table = {c: i + 1 for i, c in enumerate("abcdefghijklmnopqrstuvwxyz")}
        self.onehot = torch.eye(27)

    def __len__(self):
        return len(self.words)

    def __getitem__(self, i):
        w = self.words[i]
        ids = torch.tensor([self.table[c] for c in w])
        return ids, self.onehot[ids].mean(0), float(len(w) > 5)


def collate(rows):
    rows.sort(key=lambda r: len(r[0]), reverse=True)
    ids, features, labels = zip(*rows)
    lengths = torch.tensor([len(i) for i in ids])
    return pad_sequence(ids, batch_first=True), torch.stack(features), lengths, torch.tensor(labels)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = torch.nn.Embedding(27, 6)
        self.gru = torch.nn.GRU(6, 6, batch_first=True)
        self.out = torch.nn.Linear(33, 1)

    def forward(self, ids, features, lengths):
        packed = pack_padded_sequence(self.emb(ids), lengths, batch_first=True)
        out, h = self.gru(packed)
        padded, n = pad_packed_sequence(out, batch_first=True)
        last = padded[torch.arange(len(n)), n - 1]
        return self.out(torch.cat([last + h[-1] * 0, features], 1)).squeeze(1)


if __name__ == "__main__":
    torch.manual_seed(0)
    net = Net()
    opt = torch.optim.Adam(net.parameters(), lr=0.05)
    loader = DataLoader(Words(), batch_size=3, collate_fn=collate, num_workers=a.workers)
    for epoch in range(2):
        for ids, features, lengths, labels in loader:
            loss = torch.nn.functional.binary_cross_entropy_with_logits(net(ids, features, lengths), labels)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, "%.6f" % loss.item(), lengths.tolist())
