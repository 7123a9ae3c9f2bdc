import torch


class SAM:
    """Sharpness-aware minimization: climb first, then descend from there."""

    def __init__(self, params, base_optimizer, rho=0.05, **kwargs):
        self.params = list(params)
        self.base = base_optimizer(self.params, **kwargs)
        self.rho = rho
        self.climbed = {}

    def _grad_norm(self):
        norms = [p.grad.norm(p=2) for p in self.params if p.grad is not None]
        return torch.norm(torch.stack(norms), p=2)

    @torch.no_grad()
    def first_step(self):
        scale = self.rho / (self._grad_norm() + 1e-12)
        for p in self.params:
            if p.grad is not None:
                self.climbed[p] = p.grad * scale.to(p.device)
                p.add_(self.climbed[p])
                p.grad = None

    @torch.no_grad()
    def second_step(self):
        for p, e in self.climbed.items():
            p.sub_(e)
        self.base.step()
        self.base.zero_grad()
