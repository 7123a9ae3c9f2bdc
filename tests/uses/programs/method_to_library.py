import torch
import unseen
class Trainer:
    def __init__(self):
        self.model = torch.nn.Linear(3, 2)
        self.bias = torch.ones(2)
    def score(self, x):
        return (self.model(x) + self.bias).sum().item()
t = Trainer()
print(t.score(torch.ones(4, 3)))
print(unseen.run(t.score, unseen.data()))
