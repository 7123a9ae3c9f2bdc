import torch
import torch.nn as nn


class ConvLSTMCell(nn.Module):
    def __init__(self, input_dim, hidden_dim, kernel_size=3):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.conv = nn.Conv2d(input_dim + hidden_dim, 4 * hidden_dim, kernel_size, padding=kernel_size // 2)

    def forward(self, x, state):
        h, c = state
        i, f, o, g = torch.split(self.conv(torch.cat([x, h], dim=1)), self.hidden_dim, dim=1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c), c

    def init_hidden(self, batch_size, image_size):
        height, width = image_size
        return (
            torch.zeros(batch_size, self.hidden_dim, height, width),
            torch.zeros(batch_size, self.hidden_dim, height, width),
        )


class ConvLSTM(nn.Module):
    def __init__(self, input_dim, hidden_dims):
        super().__init__()
        dims = [input_dim, *hidden_dims]
        self.cells = nn.ModuleList([ConvLSTMCell(a, b) for a, b in zip(dims, dims[1:])])

    def _init_hidden(self, batch_size, image_size):
        return [cell.init_hidden(batch_size, image_size) for cell in self.cells]

    def forward(self, frames):
        states = self._init_hidden(frames.size(0), frames.shape[-2:])
        for t in range(frames.size(1)):
            x = frames[:, t]
            for n, cell in enumerate(self.cells):
                states[n] = cell(x, states[n])
                x = states[n][0]
        return x
