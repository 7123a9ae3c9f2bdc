import torch
import unseen
class P(unseen.Pipeline):
    def __init__(self, model):
        super().__init__(model)
        self.model = model
m = torch.nn.Linear(3, 2)
p = P(m)
print(m(torch.ones(1, 3)).sum().item())
print(p(torch.ones(1, 3)).sum().item())
