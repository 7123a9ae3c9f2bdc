# trap: `if config.GPU_COUNT:` is a choice of the user; without it, nothing may move
# covers: config-guard
import torch
from torch import nn


class Config:
    GPU_COUNT = 0
    SIZE = 3

    def __init__(self):
        self.DEVICES = list(range(self.GPU_COUNT))


class Detector(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.layer = nn.Linear(config.SIZE, 1)

    def detect(self, images):
        if self.config.GPU_COUNT:
            images = images.cuda()  # stays or: images = images.to(next(self.parameters()).device)
        anchors = torch.arange(3).float()
        if self.config.GPU_COUNT:
            anchors = anchors.cuda()  # stays or: anchors = anchors.to(images.device)
        return self.layer(images * anchors)


config = Config()
detector = Detector(config)
if config.GPU_COUNT:  # stays
    detector = detector.cuda()
print(detector.detect(torch.ones(2, 3)).shape, config.DEVICES)
