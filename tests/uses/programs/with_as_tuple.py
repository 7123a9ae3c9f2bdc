# moves
import contextlib
import torch
@contextlib.contextmanager
def pair():
    yield torch.ones(1, 3), torch.zeros(1, 3)
model = torch.nn.Linear(3, 2)
with pair() as (a, b):
    print((model(a) + model(b)).sum().item())
