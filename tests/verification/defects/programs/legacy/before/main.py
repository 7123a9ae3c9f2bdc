"""From before there was .to: everything asks use_cuda."""
import torch
import torch.nn as nn
from torch.autograd import Variable

torch.manual_seed(76)
use_cuda = torch.cuda.is_available()
LongTensor = torch.cuda.LongTensor if use_cuda else torch.LongTensor
net = nn.Sequential(nn.Linear(4, 10), nn.ReLU(), nn.Dropout(0.25), nn.Linear(10, 3))
if use_cuda:
    net.cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
data = torch.rand(30, 4)
for epoch in range(4):
    for i in range(0, 30, 10):
        x, y = data[i:i + 10], LongTensor([int(v) for v in (data[i:i + 10, 0] * 3).tolist()])
        if use_cuda:
            x, y = x.cuda(), y.cuda()
        x, y = Variable(x), Variable(y)
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
    print("Epoch %d loss %.4f" % (epoch, loss.data.item()))
net.eval()
best = net(Variable(data.cuda() if use_cuda else data)).data.cpu().max(1)[1].numpy()
print(best)
torch.save(net.cpu().state_dict(), "net.pt")
