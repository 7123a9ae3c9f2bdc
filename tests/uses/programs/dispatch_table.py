# moves
import torch
import unseen
model = torch.nn.Linear(3, 2)
def a(x): return model(x)
def b(x): return model(x) + torch.ones(2)
table = {"a": a, "b": b}
print(table["a"](torch.ones(1, 3)).sum().item())
print(table[unseen.hold("b")](torch.ones(1, 3)).sum().item())
