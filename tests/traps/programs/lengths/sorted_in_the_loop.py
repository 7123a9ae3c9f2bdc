# trap: lengths are sorted on the host, and indexed with the order that comes out of it
# covers: lengths lengths-list
import torch
from torch import nn
from torch.nn.utils import rnn as rnn_utils

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
encoder = nn.LSTM(2, 4).to(device)
torch.manual_seed(0)
for step in range(2):
    # --- stays
    lengths = torch.randint(1, 5, (3,))
    ordered, index = lengths.sort(descending=True)
    # --- end
    batch = torch.rand(int(lengths.max()), 3, 2)  # moves
    # --- stays
    packed = rnn_utils.pack_padded_sequence(batch[:, index], list(ordered))
    _, (hidden, _) = encoder(packed)
    # --- end
    print(hidden.shape, [int(n) for n in ordered[:2]])
