# run:
# run: --use-cuda
import sys

import torch
from torch import nn
from torch.autograd import Variable


def handle_inputs(inputs, use_cuda):
    if use_cuda:
        inputs = inputs.cuda()
    return Variable(inputs)


def evaluate(model, inputs, use_cuda=False):
    model.eval()
    inputs = handle_inputs(inputs, use_cuda)
    with torch.no_grad():
        return model(inputs).sum(0)


use_cuda = "--use-cuda" in sys.argv and torch.cuda.is_available()
torch.manual_seed(3)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
data = torch.randn(20, 4)
before = evaluate(net, data)
print("untrained", before.tolist())
if use_cuda:
    net.cuda()
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for epoch in range(5):
    net.train()
    x = handle_inputs(data, use_cuda)
    y = handle_inputs(data[:, :2] * 2, use_cuda)
    loss = ((net(x) - y) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(epoch, round(loss.item(), 5))
after = evaluate(net, data, use_cuda)
net.cpu()
again = evaluate(net, data, use_cuda=False)
print("trained", after.tolist())
print("on the processor", again.tolist())
