import torch


class EMA:
    """Shadows the parameters of a module."""

    def __init__(self, mu):
        self.mu = mu
        self.shadow = {}
        self.backup = {}

    def register(self, module):
        for name, param in module.named_parameters():
            self.shadow[name] = param.detach().clone()

    def update(self, module):
        for name, param in module.named_parameters():
            new = (1.0 - self.mu) * param.detach() + self.mu * self.shadow[name]
            self.shadow[name] = new.clone()

    def apply(self, module):
        for name, param in module.named_parameters():
            self.backup[name] = param.detach().clone()
            param.data.copy_(self.shadow[name])

    def restore(self, module):
        for name, param in module.named_parameters():
            param.data.copy_(self.backup[name])
        self.backup = {}
