import numpy as np
import torch
from torch import nn

torch.manual_seed(3)
rng = np.random.RandomState(3)
labels_np = rng.randint(0, 3, 30)
groups = [np.where(labels_np == c)[0] for c in range(3)]
x = torch.randn(30, 5)
labels = torch.tensor(labels_np)
net = nn.Linear(5, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.2)
seen = torch.zeros(30, dtype=torch.bool)
names = np.array(["n%d" % i for i in range(30)])
for epoch in range(4):
    order = torch.randperm(30)
    for chunk in order.chunk(3):
        out = net(x[chunk])
        loss = nn.functional.cross_entropy(out, labels[chunk])
        opt.zero_grad()
        loss.backward()
        opt.step()
        wrong = chunk[out.argmax(1) != labels[chunk]]
        seen[wrong] = True
    print(epoch, "%.6f" % loss.item(), names[wrong.numpy()][:2].tolist(), labels_np[wrong].sum())
pred = net(x).argmax(1)
for c, idx in enumerate(groups):
    print(c, (pred[idx] == labels[idx]).float().mean().item(), pred[labels_np == c].bincount(minlength=3).tolist())
hard = [i for i in range(30) if seen[i]]
print(len(hard), x[hard].mean().item(), x[~seen].sum().item())
ranks = torch.argsort(net(x)[:, 0])
print([names[i] for i in ranks[:3]], [hard[int(i) % len(hard)] for i in ranks[:3]])
