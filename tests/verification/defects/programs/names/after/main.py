"""Which language is the name from? An LSTM over packed letters."""
import random

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

random.seed(5)
torch.manual_seed(5)

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
LETTERS = "abcdefghijklmnopqrstuvwxyz"
ENDINGS = ["ov", "ini", "sen", "ez"]


def make_name(language):
    stem = "".join(random.choice(LETTERS) for _ in range(random.randint(2, 7)))
    return stem + ENDINGS[language]


def encode(name):
    return torch.tensor([LETTERS.index(letter) + 1 for letter in name])


class Tagger(nn.Module):
    def __init__(self, hidden=20):
        super().__init__()
        self.hidden = hidden
        self.embed = nn.Embedding(27, 12, padding_idx=0)
        self.lstm = nn.LSTM(12, hidden, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hidden, len(ENDINGS))

    def init_hidden(self, size, device):
        return torch.zeros(2, size, self.hidden, device=device), torch.zeros(2, size, self.hidden, device=device)

    def forward(self, letters, lengths):
        packed = pack_padded_sequence(self.embed(letters), lengths, batch_first=True, enforce_sorted=False)
        states, (last, cell) = self.lstm(packed, self.init_hidden(letters.size(0), letters.device))
        padded, _ = pad_packed_sequence(states, batch_first=True)
        both = torch.cat([last[0], last[1]], dim=1)
        return self.out(both + padded.mean(dim=1))


tagger = Tagger().to(device)
optimizer = torch.optim.Adam(tagger.parameters(), lr=0.02)
history = []
for step in range(25):
    languages = [random.randrange(len(ENDINGS)) for _ in range(16)]
    names = [encode(make_name(language)) for language in languages]
    lengths = torch.tensor([len(name) for name in names])
    letters = pad_sequence(names, batch_first=True).to(device)
    target = torch.tensor(languages, device=device)
    scores = tagger(letters, lengths)
    loss = nn.functional.cross_entropy(scores, target)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(tagger.parameters(), 0.2)
    optimizer.step()
    history.append(loss.item())

print("first", round(history[0], 6), "last", round(history[-1], 6))
query = encode("petrov").unsqueeze(0).to(device)
with torch.no_grad():
    chances = torch.softmax(tagger(query, torch.tensor([6])), dim=1)
for ending, chance in zip(ENDINGS, chances[0].tolist()):
    print(f"-{ending}: {chance:.4f}")
