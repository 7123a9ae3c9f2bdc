from __future__ import print_function

import argparse

import torch
import torch.nn as nn

parser = argparse.ArgumentParser()
parser.add_argument('--batch-size', type=int, default=4)
parser.add_argument('--steps', type=int, default=6)
parser.add_argument('--lr', type=float, default=0.05)
parser.add_argument('--no-cuda', action='store_true', help='disables CUDA')
parser.add_argument('--seed', type=int, default=1)


class DRNSeg(nn.Module):
    def __init__(self, classes):
        super(DRNSeg, self).__init__()
        self.base = nn.Sequential(
            nn.Conv2d(3, 12, 3, padding=1), nn.ReLU(inplace=True),
            nn.Conv2d(12, 12, 3, padding=2, dilation=2), nn.ReLU(inplace=True))
        self.seg = nn.Conv2d(12, classes, kernel_size=1)

    def forward(self, x):
        return nn.functional.log_softmax(self.seg(self.base(x)), dim=1)


def accuracy(output, target):
    pred = output.max(1)[1]
    return 100.0 * pred.eq(target).float().mean().item()


def make_batch(size):
    images = torch.rand(size, 3, 14, 14)
    return images, images.sum(1).gt(1.5).long()


def train(args):
    model = DRNSeg(2).cuda()
    criterion = nn.NLLLoss().cuda()
    optimizer = torch.optim.SGD(model.parameters(), args.lr, momentum=0.9)
    for step in range(args.steps):
        images, target = make_batch(args.batch_size)
        images = images.cuda()
        target = target.cuda()
        output = model(images)
        loss = criterion(output, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print('step {0} loss {1:.4f} score {2:.2f}'.format(step, loss.item(), accuracy(output, target)))


def main():
    args = parser.parse_args()
    args.cuda = not args.no_cuda and torch.cuda.is_available()
    torch.manual_seed(args.seed)
    train(args)


if __name__ == '__main__':
    main()
