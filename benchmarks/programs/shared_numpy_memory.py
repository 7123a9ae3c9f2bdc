import numpy as np
import torch
from torch import nn

# The array is written while the tensor over it is read.
rng = np.random.RandomState(0)
window = np.zeros((4, 3), dtype=np.float32)
view = torch.from_numpy(window)
torch.manual_seed(0)
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for t in range(8):
    window[t % 4] = rng.randn(3)
    loss = (net(view) - view.sum(1, keepdim=True)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(t, "%.6f" % loss.item())
weights = net.weight.data
weights.zero_()
print(net(view).sum().item(), net.bias.item())
counts = torch.zeros(3)
numbers = counts.numpy()
for row in window:
    numbers[np.argmax(row)] += 1
print(counts.tolist(), (net.weight.detach() + counts).tolist())
flat = view.view(-1)
flat[0] = 100.0
print(window[0, 0], view[0, 0].item())
