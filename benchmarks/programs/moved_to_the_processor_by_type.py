# run:
# run: --cuda
import sys

import numpy as np
import torch
from torch import nn
from torch.autograd import Variable

cuda = "--cuda" in sys.argv and torch.cuda.is_available()
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 2))
if cuda:
    net.cuda()
data = torch.randn(10, 2)


def extract(x):
    v = Variable(x.cuda() if cuda else x)
    return net(v).data.type("torch.FloatTensor")


feats = extract(data)
norms = np.linalg.norm(feats.numpy(), axis=1)
centers = torch.zeros(2, 2)
for c in range(2):
    centers[c] = feats[c::2].mean(0)
dist = ((feats[:, None] - centers[None]) ** 2).sum(-1)
assign = dist.min(1)[1].type(torch.LongTensor)
print(norms.sum().round(5), assign.numpy().tolist(), centers.sum().item())
double = feats.type(torch.DoubleTensor)
print(np.allclose(double.numpy(), feats.numpy()), double.dtype)
half = [f.type(torch.FloatTensor) for f in net.parameters()]
print("%.6f" % sum(h.sum() for h in half).item())
