# moves
import torch
REG = {}
def register(cls):
    REG[cls.__name__] = cls
    return cls
@register
class Head(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(3, 2)
        self.w = torch.ones(2)
    def forward(self, x):
        return self.fc(x) * self.w
body = torch.nn.Linear(3, 3)
head = REG["Head"]()
print(head(body(torch.ones(4, 3))).sum().item())
