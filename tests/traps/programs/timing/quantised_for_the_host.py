# trap: dynamically quantised models run on the host only
# covers: on-purpose
import torch
from torch import nn


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 2)).eval()
    small = torch.ao.quantization.quantize_dynamic(model, {nn.Linear}, dtype=torch.qint8)
    x = torch.rand(3, 8)
    print(small(x).shape)


if __name__ == "__main__":
    main()
