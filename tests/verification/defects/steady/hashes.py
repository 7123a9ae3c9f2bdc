"""Order of sets, addresses of objects, default representations."""
import collections
import functools
import weakref

import torch


class Config:
    def __init__(self):
        self.rate = 0.1


words = {"red", "green", "blue", "white", "black", "yellow", "orange", "violet"}
print(words, list(words)[0], hash("red") % 1000)
for place, word in enumerate(words):
    print(place, word)
config, model = Config(), torch.nn.Linear(2, 2)
print(config, id(model), hex(id(config)), hash(config))
print(model.forward, Config.__init__, lambda x: x, functools.partial(print, 1))
print(model.weight.data_ptr() % 64, weakref.ref(model), iter([]))
order = {word: torch.full((2,), float(place)) for place, word in enumerate(words)}
for word, value in order.items():
    print(word, value.sum().item())
print(collections.Counter("".join(words)).most_common(3))
print("sum", sum(value.sum() for value in order.values()).item())
