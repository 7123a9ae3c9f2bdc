import torch


class MomentumSGD:
    """Plain momentum, with a state that can be saved."""

    def __init__(self, params, lr, momentum=0.9):
        self.params = list(params)
        self.lr = lr
        self.momentum = momentum
        self.velocity = [torch.zeros_like(p) for p in self.params]

    def zero_grad(self):
        for p in self.params:
            p.grad = None

    @torch.no_grad()
    def step(self):
        for p, v in zip(self.params, self.velocity):
            v.mul_(self.momentum).add_(p.grad)
            p.sub_(self.lr * v)

    def state_dict(self):
        return {"lr": self.lr, "velocity": self.velocity}

    def load_state_dict(self, state):
        self.lr = state["lr"]
        self.velocity = [v.clone() for v in state["velocity"]]
