import argparse

import torch


class BaseOptions:
    def __init__(self):
        self.parser = argparse.ArgumentParser()
        self.parser.add_argument("--gpu_ids", type=str, default="-1", help="e.g. 0  0,1; -1 for CPU")
        self.parser.add_argument("--lr", type=float, default=0.1)
        self.train = False

    def parse(self, args=None):
        self.opt = self.parser.parse_args(args)
        self.opt.isTrain = self.train
        ids = [int(i) for i in self.opt.gpu_ids.split(",")]
        self.opt.gpu_ids = [i for i in ids if i >= 0 and torch.cuda.is_available()]
        if len(self.opt.gpu_ids) > 0:
            torch.cuda.set_device(self.opt.gpu_ids[0])
        return self.opt


class TrainOptions(BaseOptions):
    def __init__(self):
        super().__init__()
        self.parser.add_argument("--niter", type=int, default=3)
        self.train = True
