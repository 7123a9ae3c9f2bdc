# trap: of a batch only what the network sees moves; lengths and keys do not
# covers: lengths collate
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader


def collate(items):
    items = sorted(items, key=len, reverse=True)  # stays
    lengths = torch.tensor([len(item) for item in items])  # stays
    return pad_sequence(items, batch_first=True), lengths, torch.arange(len(items))  # stays


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
project = nn.Linear(2, 2).to(device)
rnn = nn.GRU(2, 3, batch_first=True).to(device)
items = [torch.ones(n, 2) for n in (2, 4, 1, 3)]  # stays
for x, lengths, keys in DataLoader(items, batch_size=2, collate_fn=collate):  # moves: x = x.to(device)
    packed = pack_padded_sequence(project(x), lengths, batch_first=True)  # stays
    _, hidden = rnn(packed)
    print(hidden.shape, lengths.tolist(), keys.numpy().tolist())  # stays
