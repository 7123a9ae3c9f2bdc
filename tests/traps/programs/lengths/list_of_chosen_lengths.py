# trap: `list(lengths[order])` goes to `pack_padded_sequence`, which reads lengths on the host
# covers: lengths lengths-list
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(9, 4)
        self.rnn = nn.LSTM(4, 3, batch_first=True)

    def forward(self, words, lengths):
        # --- stays
        order = torch.argsort(lengths, descending=True)
        packed = pack_padded_sequence(
            self.embedding(words)[order], list(lengths[order]), batch_first=True
        )
        # --- end
        output, _ = self.rnn(packed)
        return pad_packed_sequence(output, batch_first=True)[0]


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Reader().to(device)
words = torch.tensor([[1, 2, 0], [3, 4, 5]])  # moves
lengths = torch.tensor([2, 3])  # stays
print(model(words, lengths).shape)
