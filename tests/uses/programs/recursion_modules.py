# moves
import torch
class Node:
    def __init__(self, depth):
        self.fc = torch.nn.Linear(3, 3)
        self.kids = [Node(depth - 1) for _ in range(2)] if depth else []
    def run(self, x):
        y = self.fc(x)
        for k in self.kids:
            y = y + k.run(x)
        return y
print(Node(2).run(torch.ones(1, 3)).sum().item())
