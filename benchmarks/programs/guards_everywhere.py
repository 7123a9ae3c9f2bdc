# run:
# run: --cuda
# run: --cuda --resume
import argparse
import os

import torch
import torch.backends.cudnn as cudnn
import torch.nn as nn
import torch.optim as optim
from torch.autograd import Variable

parser = argparse.ArgumentParser(description="PyTorch training")
parser.add_argument("--cuda", action="store_true")
parser.add_argument("--resume", "-r", action="store_true", help="resume from checkpoint")
args = parser.parse_args()
use_cuda = args.cuda and torch.cuda.is_available()
best_acc = 0


class VGG(nn.Module):
    cfg = [4, "M", 8, "M"]

    def __init__(self):
        super(VGG, self).__init__()
        layers, c = [], 1
        for v in self.cfg:
            if v == "M":
                layers += [nn.MaxPool2d(2, 2)]
            else:
                layers += [nn.Conv2d(c, v, 3, padding=1), nn.BatchNorm2d(v), nn.ReLU(inplace=True)]
                c = v
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Linear(32, 3)

    def forward(self, x):
        return self.classifier(self.features(x).view(x.size(0), -1))


torch.manual_seed(0)
images, labels = torch.randn(12, 1, 8, 8), torch.randint(3, (12,))
loader = [(images[i:i + 4], labels[i:i + 4]) for i in range(0, 12, 4)]
net = VGG()
if args.resume and os.path.isdir("checkpoint"):
    checkpoint = torch.load("./checkpoint/ckpt.t7", weights_only=False)
    net = checkpoint["net"]
    best_acc = checkpoint["acc"]
if use_cuda:
    net.cuda()
    net = torch.nn.DataParallel(net, device_ids=range(torch.cuda.device_count()))
    cudnn.benchmark = True
criterion = nn.CrossEntropyLoss()
optimizer = optim.SGD(net.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4)


def train(epoch):
    net.train()
    train_loss = correct = total = 0
    for batch_idx, (inputs, targets) in enumerate(loader):
        if use_cuda:
            inputs, targets = inputs.cuda(), targets.cuda()
        optimizer.zero_grad()
        inputs, targets = Variable(inputs), Variable(targets)
        outputs = net(inputs)
        loss = criterion(outputs, targets)
        loss.backward()
        optimizer.step()
        train_loss += loss.data.item()
        _, predicted = torch.max(outputs.data, 1)
        total += targets.size(0)
        correct += predicted.eq(targets.data).cpu().sum()
    print(epoch, "%.5f %.3f%%" % (train_loss / (batch_idx + 1), 100. * correct / total))


def test(epoch):
    global best_acc
    net.eval()
    test_loss = correct = total = 0
    for batch_idx, (inputs, targets) in enumerate(loader):
        if use_cuda:
            inputs, targets = inputs.cuda(), targets.cuda()
        inputs, targets = Variable(inputs, volatile=True), Variable(targets)
        outputs = net(inputs)
        loss = criterion(outputs, targets)
        test_loss += loss.data.item()
        _, predicted = torch.max(outputs.data, 1)
        total += targets.size(0)
        correct += predicted.eq(targets.data).cpu().sum()
    acc = 100. * correct / total
    print("test %.5f %.3f" % (test_loss / (batch_idx + 1), acc))
    if acc > best_acc:
        state = {"net": net.module if use_cuda else net, "acc": acc, "epoch": epoch}
        os.makedirs("checkpoint", exist_ok=True)
        torch.save(state, "./checkpoint/ckpt.t7")
        best_acc = acc


for epoch in range(2):
    train(epoch)
    test(epoch)
