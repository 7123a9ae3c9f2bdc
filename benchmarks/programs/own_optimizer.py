import math

import torch
from torch import nn
from torch.optim import Optimizer


class Lion(Optimizer):
    def __init__(self, params, lr=1e-2, betas=(0.9, 0.99), wd=0.01):
        super().__init__(params, dict(lr=lr, betas=betas, wd=wd))
        self.trace = []

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        norm = torch.zeros(1)
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state["m"] = torch.zeros(p.shape)
                    state["step"] = 0
                state["step"] += 1
                update = (state["m"] * b1 + p.grad * (1 - b1)).sign()
                p.add_(update + group["wd"] * p, alpha=-group["lr"] / math.sqrt(state["step"]))
                state["m"].mul_(b2).add_(p.grad, alpha=1 - b2)
                norm += p.grad.norm() ** 2
        self.trace.append(norm.sqrt().item())
        return loss


torch.manual_seed(1)
net = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1))
x = torch.randn(20, 3)
y = torch.sin(x).sum(1, keepdim=True)
opt = Lion(net.parameters())


def closure():
    opt.zero_grad()
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    return loss


for i in range(5):
    print(i, "%.6f" % opt.step(closure).item(), "%.6f" % opt.trace[-1])
velocity = {}
for step in range(3):
    closure()
    with torch.no_grad():
        for name, p in net.named_parameters():
            v = velocity.get(name)
            if v is None:
                v = velocity[name] = torch.zeros_like(p)
            v *= 0.9
            v += p.grad
            p -= 0.05 * v
print(sorted(velocity), "%.6f" % closure().item())
