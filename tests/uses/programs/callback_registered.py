import torch
import unseen
model = torch.nn.Linear(3, 2)
scale = torch.full((2,), 2.0)
events = unseen.Event()
@events.on
def show(t):
    print((model(t) * scale).sum().item())
x = torch.ones(4, 3)
print((model(x) * scale).sum().item())
events.fire(unseen.data())
