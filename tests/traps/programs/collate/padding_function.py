# trap: a collate function fills host tensors; workers run it
# covers: collate lengths
import torch
from torch import nn
from torch.utils.data import DataLoader

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
sequences = [torch.ones(n, 2) * n for n in (3, 1, 4, 2)]  # stays


# --- stays
def collate(batch):
    lengths = torch.tensor([len(item) for item in batch])
    padded = torch.zeros(len(batch), int(lengths.max()), 2)
    mask = torch.zeros(len(batch), int(lengths.max()), dtype=torch.bool)
    for k, item in enumerate(batch):
        padded[k, : len(item)] = item
        mask[k, : len(item)] = True
    return padded, mask, lengths


# --- end
model = nn.Linear(2, 1).to(device)
for x, mask, lengths in DataLoader(sequences, batch_size=2, collate_fn=collate):  # moves
    scores = model(x).squeeze(-1).masked_fill(~mask, 0.0)
    print(lengths.tolist(), tuple(scores.sum(1).shape))
