import torch
import unseen
model = torch.nn.Linear(3, 2)
cmd = unseen.hold(("go", torch.ones(2, 3)))
match cmd:
    case ("go", x):
        print(model(x).sum().item())
    case _:
        print(model(torch.zeros(1, 3)).sum().item())
