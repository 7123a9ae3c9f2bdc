# run: --arch bag
# run: --arch encoder
# run: --arch encoder --gpu 0
import argparse

import torch
import torch.nn as nn

import zoo

parser = argparse.ArgumentParser()
parser.add_argument("--arch", choices=sorted(zoo.MODELS))
parser.add_argument("--gpu", type=int, default=None)


def main():
    args = parser.parse_args()
    torch.manual_seed(0)
    model = zoo.create(args.arch, 12, 8)
    criterion = nn.CrossEntropyLoss()
    if args.gpu is not None and not torch.cuda.is_available():
        print("no GPU")
        args.gpu = None
    optimizer = torch.optim.Adam(model.parameters(), 0.02)
    x = torch.randint(0, 12, (20, 5))
    y = x.sum(1) % 3
    losses, top1 = zoo.AverageMeter(), zoo.AverageMeter()
    for epoch in range(3):
        losses.reset()
        for i in range(0, 20, 5):
            out = model(x[i:i + 5])
            loss = criterion(out, y[i:i + 5])
            acc1, acc2 = zoo.accuracy(out, y[i:i + 5], topk=(1, 2))
            losses.update(loss.item(), 5)
            top1.update(acc1.item(), 5)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, "%.5f" % losses.avg, "%.2f" % top1.avg)
    copy = zoo.create(args.arch, 12, 8, state=model.state_dict())
    print(torch.allclose(copy(x), model(x)))


if __name__ == "__main__":
    main()
