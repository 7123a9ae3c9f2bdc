# case: a mask
import torch
from torch import nn


def causal_mask(length):
    mask = torch.ones(length, length)
    return mask.tril()


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(4, 4)

    def forward(self, x):
        scores = self.project(x)
        return scores * causal_mask(scores.size(-1))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    print(Attention().to(device)(torch.ones(2, 4, 4, device=device)).sum().item())


main()

# output
import torch
from torch import nn


def causal_mask(length, device=None):
    mask = torch.ones(length, length, device=device)
    return mask.tril()


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(4, 4)

    def forward(self, x):
        scores = self.project(x)
        return scores * causal_mask(scores.size(-1), device=scores.device)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    print(Attention().to(device)(torch.ones(2, 4, 4, device=device)).sum().item())


main()

# case: a hidden state, through a function in between
import torch
from torch import nn


def zeros(layers, batch, size):
    return torch.zeros(layers, batch, size)


def state(batch):
    return zeros(1, batch, 5), zeros(1, batch, 5)


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(3, 5)

    def forward(self, x):
        output, _ = self.rnn(x, state(x.size(1)))
        return output


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    print(Reader().to(device)(torch.ones(4, 2, 3, device=device)).sum().item())


main()

# output
import torch
from torch import nn


def zeros(layers, batch, size, device=None):
    return torch.zeros(layers, batch, size, device=device)


def state(batch, device=None):
    return zeros(1, batch, 5, device=device), zeros(1, batch, 5, device=device)


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(3, 5)

    def forward(self, x):
        output, _ = self.rnn(x, state(x.size(1), device=x.device))
        return output


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    print(Reader().to(device)(torch.ones(4, 2, 3, device=device)).sum().item())


main()

# case: data of NumPy
import numpy as np
import torch
from torch import nn


def ramp(length):
    values = torch.from_numpy(np.arange(length, dtype=np.float32))
    return values / length


class Ramped(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(4, 4)

    def forward(self, x):
        return self.project(x) + ramp(4)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    print(Ramped().to(device)(torch.ones(2, 4, device=device)).sum().item())


main()

# output
import numpy as np
import torch
from torch import nn


def ramp(length, device=None):
    values = torch.from_numpy(np.arange(length, dtype=np.float32)).to(device)
    return values / length


class Ramped(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(4, 4)

    def forward(self, x):
        return self.project(x) + ramp(4, device=x.device)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    print(Ramped().to(device)(torch.ones(2, 4, device=device)).sum().item())


main()

# case: it is told already
import torch
from torch import nn


def causal_mask(length, device=None):
    mask = torch.ones(length, length, device=device)
    return mask.tril()


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(4, 4)

    def forward(self, x):
        scores = self.project(x)
        return scores * causal_mask(scores.size(-1), device=x.device)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    print(Attention().to(device)(torch.ones(2, 4, 4, device=device)).sum().item())


main()

# case: all callers stay on the host
import torch


def causal_mask(length):
    mask = torch.ones(length, length)
    return mask.tril()


print(causal_mask(3).sum().item())

# case: a tensor at hand tells it
import torch
from torch import nn


def like(x):
    return torch.ones(x.size(-1), device=x.device)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 4).to(device)
scores = model(torch.ones(2, 4, device=device))
print((scores * like(scores)).sum().item())
