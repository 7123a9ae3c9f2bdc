# moves
import sys
import torch
class Runner:
    def __init__(self):
        self.model = torch.nn.Linear(3, 2)
    def train(self):
        print(self.model(torch.ones(2, 3)).sum().item())
    def test(self):
        print(self.model(torch.zeros(2, 3)).sum().item())
r = Runner()
for name in ("train", "test"):
    getattr(r, name)()
