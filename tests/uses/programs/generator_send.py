import torch
def averager(model):
    total = torch.zeros(2)
    while True:
        x = yield total
        total = total + model(x).sum(0)
model = torch.nn.Linear(3, 2)
g = averager(model)
next(g)
print(g.send(torch.ones(4, 3)).sum().item())
