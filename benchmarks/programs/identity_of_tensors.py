import torch
from torch import nn

torch.manual_seed(0)
tied = nn.Embedding(5, 3)
out = nn.Linear(3, 5, bias=False)
out.weight = tied.weight
x = torch.tensor([0, 1, 2])
names = {x: "input", tied.weight: "weight"}
seen = {id(p) for p in list(tied.parameters()) + list(out.parameters())}
opt = torch.optim.SGD([tied.weight], lr=0.1)
state = {}
for i in range(3):
    h = tied(x)
    same = h if i % 2 else h.clone()
    state[i] = same
    loss = nn.functional.cross_entropy(out(same), x)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(i, "%.6f" % loss.item(), same is h, same.data_ptr() == h.data_ptr(), out.weight is tied.weight)
print(len(seen), names[x], names[out.weight], any(v is h for v in state.values()))
y = x
y += 1
print(x.tolist(), y is x, tied(x).sum().item())
best = None
for k, v in state.items():
    if best is None or v.sum() > best.sum():
        best = v
print([k for k, v in state.items() if v is best])
