# trap: `dtype=torch.FloatTensor` is a type that is looked up, not a tensor that is made
# covers: type-default
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


# --- stays
def to_tensor(values, dtype=torch.FloatTensor):
    return torch.as_tensor(values).type(dtype)


def labels(values, kind=torch.LongTensor, size=None):
    made = to_tensor(values, kind)
    return made if size is None else made[:size]


# --- end
model = nn.Linear(2, 3).to(device)
x = to_tensor(np.ones((4, 2)))  # stays
y = labels([0, 1, 2, 0])  # stays
print(nn.functional.cross_entropy(model(x.to(device)), y.to(device)).item() > 0)  # stays
