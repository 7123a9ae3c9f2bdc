import torch
import unseen
class Runner:
    def __init__(self):
        self.model = torch.nn.Linear(3, 2)
    def train(self, x):
        print(self.model(x).sum().item())
    def test(self, x):
        print(self.model(x).sum().item() + 1)
r = Runner()
r.train(torch.ones(2, 3))
getattr(r, unseen.hold("test"))(torch.ones(1, 3))
