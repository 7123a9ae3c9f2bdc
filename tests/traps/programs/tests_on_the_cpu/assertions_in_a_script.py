# trap: a self-test that asserts that an operator agrees with its reference on the CPU
# covers: cpu-tests on-purpose
import torch
from torch import nn


def moving_mean(x, width):
    kernel = torch.ones(1, 1, width) / width
    return nn.functional.conv1d(x[None, None], kernel)[0, 0]


def self_test():
    x = torch.arange(6.0)
    got = moving_mean(x, 3)
    assert got.device.type == "cpu" and not got.is_cuda
    want = torch.stack([x[k : k + 3].mean() for k in range(4)])
    assert torch.allclose(got, want)
    layer = nn.Linear(4, 1)
    assert layer(got).device.type == "cpu"


if __name__ == "__main__":
    self_test()
    print("ok")
