# moves
import torch
class Vec:
    def __init__(self, t): self.t = t
    def __matmul__(self, other): return self.t @ other.t
    def __rmul__(self, k): return Vec(self.t * k)
m = torch.nn.Linear(3, 3)
a, b = Vec(torch.ones(3, 3)), Vec(m(torch.ones(3, 3)))
print((a @ b).sum().item(), (2 * a).t.sum().item())
