# trap: `.data[0]` inside an unpacking of outputs of several rows
# covers: data-index
import torch
from torch import nn

torch.manual_seed(0)
cell = nn.LSTM(2, 3)
output, (hidden, state) = cell(torch.zeros(4, 1, 2))  # moves
(top, last), (h, c) = (output.data[0], output.data[-1]), (hidden.data[0], state.data[0])  # stays
print(top.shape, last.shape, h.shape, c.shape)  # stays
