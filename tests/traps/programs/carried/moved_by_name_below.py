# trap: constructors whose result moves below, in a loop, a comprehension, an unpacking, a map
# covers: moved-later
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Bilinear(3, 3, 1).to(device)
# --- stays
a = torch.ones(2, 3)
a = a.to(device)
b, c = torch.zeros(2, 3), torch.ones(2, 3)
b, c = b.to(device), c.to(device)
pair = [torch.ones(1, 3), torch.zeros(1, 3)]
pair = [item.to(device) for item in pair]
named = {"left": torch.ones(1, 3), "right": torch.zeros(1, 3)}
for key in named:
    named[key] = named[key].to(device)
d, e = map(lambda t: t.to(device), (torch.ones(4, 3), torch.zeros(4, 3)))
f = torch.ones(2, 3)
g = f.clone()
f, g = (t.to(device) for t in (f, g))
# --- end
print(model(a, b + c).shape, model(*pair).shape, model(**{"input1": named["left"], "input2": d[:1]}).shape)
print(model(d, e).shape, model(f, g).shape)
print(model(torch.ones(1, 3), a[:1]).shape)  # moves
