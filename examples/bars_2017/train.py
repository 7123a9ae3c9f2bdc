# Python 2 and PyTorch 0.3, as written in 2017: today it runs on neither the CPU nor a GPU.
import argparse

import torch
import torch.nn.functional as F
import torch.optim as optim
from torch.autograd import Variable

import pictures
from model import SIZE, BarNet

parser = argparse.ArgumentParser(description='Do the bars in a picture stand or lie?')
parser.add_argument('--epochs', type=int, default=3)
parser.add_argument('--batch-size', type=int, default=25)
args = parser.parse_args()

torch.manual_seed(0)
torch.cuda.manual_seed(0)
train_set, test_set = pictures.load(400, SIZE)
model = BarNet()
model.cuda()
optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)


def train(epoch):
    model.train()
    batches = pictures.batches(train_set, args.batch_size)
    total = 0.
    for i in xrange(len(train_set) / args.batch_size):
        data, target = batches.next()
        target = target.cuda(async=True)
        data, target = Variable(data.cuda()), Variable(target)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(data), target)
        loss.backward()
        torch.nn.utils.clip_grad_norm(model.parameters(), 5)
        optimizer.step()
        total += loss.data[0]
        if i % 6 == 0:
            print 'epoch', epoch, 'batch', i, 'loss %.4f' % loss.data[0]
    return total / (len(train_set) / args.batch_size)


def test():
    model.eval()
    loss, hits = 0., {}
    for data, target in pictures.batches(test_set, args.batch_size):
        data, target = Variable(data.cuda(), volatile=True), Variable(target.cuda(), volatile=True)
        output = model(data)
        loss += F.cross_entropy(output, target, size_average=False).data[0]
        found = output.data.max(1)[1].view(-1)
        for name, right in zip(pictures.names(target.data), found.eq(target.data).tolist()):
            if not hits.has_key(name):
                hits[name] = []
            hits[name].append(right)
    print 'test loss %.4f,' % (loss / len(test_set)),
    print 'right:', ', '.join('%d of %d %s' % (sum(h), len(h), n) for n, h in sorted(hits.iteritems()))


for epoch in xrange(1, args.epochs + 1):
    print 'epoch %d: mean loss %.4f' % (epoch, train(epoch))
    test()
