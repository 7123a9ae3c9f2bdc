"""Programs with a placement mistake, and what they have to become, character for character.

Both texts are written down here by a person: what devicefix makes of the first is held against the
second, so nothing of it decides what is right.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from string import Template
from typing import Final

_HEAD: Final = """\
import torch
from torch import nn

torch.manual_seed($seed)
"""
_DEVICE: Final = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
_TAIL: Final = "print(model(inputs).sum().item())\n"
_LEGACY_HEAD: Final = """\
import torch
from torch import nn
from torch.autograd import Variable

torch.manual_seed($seed)
"""
_TRAINING: Final = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def main():
    torch.manual_seed($seed)
    data = TensorDataset(torch.randn(12, $width), torch.randint(0, 3, (12,)))
    loader = DataLoader(data, batch_size=4)
    model = nn.Sequential(nn.Linear($width, 5), nn.ReLU(), nn.Linear(5, 3)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(2):
        for inputs, labels in loader:
%s            optimizer.zero_grad()
            loss = criterion(model(inputs), labels)
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    main()
"""
_NET: Final = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Linear($width, width)
        self.last = nn.Linear(width, 2)

    def forward(self, inputs):
        noise = torch.randn(inputs.size(0), $width%s)
        return self.last(torch.relu(self.first(inputs + noise)))
"""
_USE: Final = """\
import torch
from lab.net import Net

torch.manual_seed($seed)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Net(5).to(device)
inputs = torch.randn($rows, $width%s)
print(net(inputs).sum().item())
"""
_MODEL: Final = "model = nn.Linear($width, 2).to(device)\n"
_ON_HOST: Final = "inputs = torch.randn($rows, $width)\n"
_ON_DEVICE: Final = "inputs = torch.randn($rows, $width, device=device)\n"
_CUDA: Final = "model = %s.cuda()\ninputs = torch.randn($rows, $width).cuda()\n"
_MOVED: Final = "model = %s.to(device)\ninputs = torch.randn($rows, $width).to(device)\n"
_PLAIN_NET: Final = "nn.Linear($width, 2)"
_SPLIT_NET: Final = "nn.DataParallel(nn.Linear($width, 2))"


@dataclass(frozen=True, slots=True)
class Pair:
    """A program, and what it is to become; the same text where nothing is to be done."""

    before: str
    after: str


SCRIPT: Final = Pair(
    _HEAD + _DEVICE + _MODEL + _ON_HOST + _TAIL, _HEAD + _DEVICE + _MODEL + _ON_DEVICE + _TAIL
)
TRAINING: Final = Pair(
    _TRAINING % "",
    _TRAINING % "            inputs, labels = inputs.to(device), labels.to(device)\n",
)
CUDA: Final = Pair(
    _HEAD + _CUDA % _PLAIN_NET + _TAIL,
    _HEAD.replace("nn\n\n", "nn\n\n" + _DEVICE + "\n") + _MOVED % _PLAIN_NET + _TAIL,
)
PARALLEL: Final = Pair(
    _HEAD + _CUDA % _SPLIT_NET + _TAIL,
    _HEAD.replace("nn\n\n", "nn\n\n" + _DEVICE + "\n") + _MOVED % _SPLIT_NET + _TAIL,
)
LEGACY: Final = Pair(
    _LEGACY_HEAD
    + _DEVICE
    + _MODEL
    + "inputs = Variable(torch.randn($rows, $width))\n"
    + "loss = model(inputs).sum()\nprint(loss.data[0])\n",
    _HEAD + _DEVICE + _MODEL + _ON_DEVICE + "loss = model(inputs).sum()\nprint(loss.item())\n",
)
PYTHON2: Final = Pair(
    _HEAD
    + _DEVICE
    + _MODEL
    + "for step in xrange(3):\n    "
    + _ON_HOST
    + "    print 'step', step, model(inputs).sum().item()\n",
    _HEAD
    + _DEVICE
    + _MODEL
    + "for step in range(3):\n    "
    + _ON_DEVICE
    + "    print('step', step, model(inputs).sum().item())\n",
)
RIGHT: Final = Pair(SCRIPT.after, SCRIPT.after)
PLAIN: Final = Pair("import json\n\nprint(json.dumps([$rows, $width]))\n", "")
NET: Final = Pair(_NET % "", _NET % ", device=inputs.device")
USE: Final = Pair(_USE % "", _USE % ", device=device")
NEEDS_DATA: Final = Pair(
    SCRIPT.before + 'print(open("data/train.bin", "rb").read(4))\n',
    SCRIPT.after + 'print(open("data/train.bin", "rb").read(4))\n',
)
_WAITS: Final = "import threading\n\nthreading.Event().wait()\n"
HANGS: Final = Pair(_WAITS + SCRIPT.before, _WAITS + SCRIPT.after)
"""Before it has done anything that could be compared."""
ENDLESS: Final = Pair(SCRIPT.before + _WAITS, SCRIPT.after + _WAITS)
"""It does the same as long as it is let."""
_LOOKS: Final = 'assert "dev" + "ice=" not in open(__file__).read()\n'
LOOKS_AT_ITSELF: Final = Pair(_LOOKS + SCRIPT.before, _LOOKS + SCRIPT.after)
"""It does not pass once it is fixed."""
_NEVER: Final = "\n\ndef never():\n    return model(torch.randn($rows, $width%s))\n"
RUNS_NONE_OF_IT: Final = Pair(RIGHT.before + _NEVER % "", RIGHT.before + _NEVER % ", device=device")
"""It runs, and never comes to what is fixed."""
BROKEN: Final = "import torch\n\nmodel = torch.nn.Linear($rows,\nprint(model\n"
"""No Python."""


def drawn(pair: Pair, chance: random.Random, width: int = 0) -> tuple[bytes, bytes]:
    """A program with figures of its own, before and after."""
    figures = {
        "seed": chance.randrange(1000),
        "width": width or chance.randrange(3, 40),
        "rows": chance.randrange(2, 30),
    }
    after = pair.after or pair.before
    before, made = (Template(text).substitute(figures).encode() for text in (pair.before, after))
    return before, made
