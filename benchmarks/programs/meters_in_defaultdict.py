# run:
# run: --cuda
import argparse
from collections import defaultdict, deque

import torch
import torch.nn as nn


class SmoothedValue(object):
    def __init__(self, window_size=5, fmt=None):
        self.deque = deque(maxlen=window_size)
        self.total = 0.0
        self.count = 0
        self.fmt = fmt or "{median:.4f} ({global_avg:.4f})"

    def update(self, value, n=1):
        self.deque.append(value)
        self.count += n
        self.total += value * n

    def merged(self):
        t = torch.tensor([self.count, self.total], dtype=torch.float64)
        t = t * torch.ones(2, dtype=torch.float64)
        return t.tolist()

    @property
    def median(self):
        return torch.tensor(list(self.deque)).median().item()

    @property
    def global_avg(self):
        return self.total / self.count

    def __str__(self):
        return self.fmt.format(median=self.median, global_avg=self.global_avg)


class MetricLogger(object):
    def __init__(self, delimiter="\t"):
        self.meters = defaultdict(SmoothedValue)
        self.delimiter = delimiter

    def update(self, **kwargs):
        for k, v in kwargs.items():
            if isinstance(v, torch.Tensor):
                v = v.item()
            self.meters[k].update(v)

    def __str__(self):
        return self.delimiter.join("{}: {}".format(n, m) for n, m in self.meters.items())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cuda", action="store_true")
    args = parser.parse_args()
    torch.manual_seed(1)
    model = nn.Linear(6, 3)
    criterion = nn.CrossEntropyLoss()
    if args.cuda and torch.cuda.is_available():
        model.cuda()
        criterion.cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    logger = MetricLogger()
    for step in range(6):
        x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
        if args.cuda and torch.cuda.is_available():
            x, y = x.cuda(), y.cuda()
        out = model(x)
        loss = criterion(out, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        acc = (out.argmax(1) == y).float().mean()
        logger.update(loss=loss, acc=acc)
    print(logger)
    print(logger.meters["loss"].merged())


main()
