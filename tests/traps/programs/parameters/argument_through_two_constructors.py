# trap: the tensor passes through a base class before it becomes a Parameter
# covers: argument-parameter parameter
import torch
from torch import nn


class Affine(nn.Module):
    def __init__(self, weight, bias):
        super().__init__()
        self.weight = nn.Parameter(weight.clone())
        self.bias = torch.nn.parameter.Parameter(bias, requires_grad=True)

    def forward(self, x):
        return x * self.weight + self.bias


class Standardise(Affine):
    def __init__(self, rows):
        super().__init__(1 / rows.std(0), -rows.mean(0) / rows.std(0))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    rows = torch.tensor([[1.0, 2.0], [3.0, 6.0], [5.0, 7.0]])  # stays
    layer = Standardise(rows)  # stays
    layer.to(device)  # stays
    fresh = torch.tensor([[2.0, 2.0]])  # moves
    print(layer(fresh).sum().item() < 0)


if __name__ == "__main__":
    main()
