import torch.nn as nn
import torch.nn.functional as F
from torch.nn import init

SIZE = 12


class BarNet(nn.Module):
    def __init__(self, width=8):
        super(BarNet, self).__init__()
        self.conv = nn.Conv2d(1, width, 3, padding=1)
        self.fc = nn.Linear(width * (SIZE / 2) ** 2, 2)
        for layer in self.conv, self.fc:
            init.xavier_uniform(layer.weight)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv(x)), 2)
        x = x.view(x.size(0), -1)
        return self.fc(F.dropout(x, 0.2, training=self.training))
