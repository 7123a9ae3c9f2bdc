"""Leaves all kinds of objects behind; some do not like to be looked at."""
import collections
import dataclasses
import enum
import itertools
import threading
import types

import numpy as np
import torch


class Shy:
    def __getattr__(self, name):
        raise RuntimeError("do not ask me for " + name)

    def __repr__(self):
        raise RuntimeError("no words")

    def __eq__(self, other):
        raise RuntimeError("no comparison")

    def __bool__(self):
        raise RuntimeError("neither")

    __hash__ = None


class Slotted:
    __slots__ = ("empty", "weights")

    def __init__(self):
        self.weights = torch.ones(2)


class Node:
    def __init__(self):
        self.me, self.children = self, [self]
        self.value = torch.zeros(1)

    @property
    def expensive(self):
        print("somebody computed me")
        return torch.rand(1)


@dataclasses.dataclass
class State:
    model: torch.nn.Module
    best: float = float("nan")
    path: str = __file__


class Colour(enum.Enum):
    RED = torch.tensor(1)


shy, slotted, node = Shy(), Slotted(), Node()
state = State(torch.nn.Linear(2, 2))
nested = [[[[[[[[[torch.ones(1)]]]]]]]]]
nested.append(nested)
many = [torch.full((1,), float(n)) for n in range(3000)]
table = np.zeros(3, dtype=[("name", "U5"), ("size", "f4")])
objects = np.array([None, "text", {1: 2}], dtype=object)
stream, lock, counter = iter([1, 2]), threading.Lock(), itertools.count()
mapping = collections.defaultdict(list, {torch.float32: [1], (1, 2): [2], None: []})
view = types.MappingProxyType({"a": torch.ones(1)})
handle = open(__file__)
meta = torch.empty(3, device="meta")
lazy = torch.nn.LazyLinear(3)
model = torch.nn.Sequential(torch.nn.Linear(2, 2))
model.register_forward_hook(lambda *_: None)
optimizer = torch.optim.Adam(model.parameters())
model(torch.ones(1, 2)).sum().backward()
optimizer.step()
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
generator = (torch.rand(1) for _ in range(3))
quantised = torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.quint8)
packed = torch.nn.utils.rnn.pack_sequence([torch.ones(2), torch.ones(1)])
print("left", len(many), slotted.weights.sum().item(), next(counter), next(generator).shape)
