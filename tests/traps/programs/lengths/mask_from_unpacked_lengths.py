# trap: lengths that come out of `pad_packed_sequence` are on the host, and so is what is compared
#   with them; only the mask moves
# covers: lengths
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
rnn = nn.GRU(2, 3, batch_first=True).to(device)
x = torch.ones(2, 4, 2, device=device)
packed = pack_padded_sequence(x, [4, 2], batch_first=True)  # stays
output, lengths = pad_packed_sequence(rnn(packed)[0], batch_first=True)  # stays
positions = torch.arange(output.size(1))  # stays
mask = positions[None, :] >= lengths[:, None]
pooled = output.masked_fill(mask.unsqueeze(2), 0.0).sum(1)
print(pooled.shape, lengths.tolist())
