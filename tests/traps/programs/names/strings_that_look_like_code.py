# trap: code in strings: templates, docstrings, f-strings that are printed
# covers: names
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
# --- stays
TEMPLATE = """
model = {name}().cuda()
x = torch.zeros({size}).to("cuda")
"""
print(TEMPLATE.format(name="Net", size=3).strip())
print(f"{'cuda'!r} or {torch.zeros(2).tolist()}")
# --- end


def explain():
    """Call `.cuda()` first:

    >>> model = model.cuda()
    >>> torch.load("x", map_location="cuda")
    """
    return explain.__doc__.count("cuda")  # stays


model = nn.Linear(2, 1).to(device)
print(explain(), model(torch.ones(1, 2)).shape)  # moves
