# trap: tests that assert on the CPU; nobody wants them on a device
# covers: cpu-tests
import pytest
import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.factor = nn.Parameter(torch.tensor(factor))

    def forward(self, x):
        return x * self.factor


@pytest.fixture
def layer():
    return Scale(2.0)


def test_scales(layer):
    x = torch.arange(3.0)
    assert layer(x).tolist() == [0.0, 2.0, 4.0]
    assert layer(x).device.type == "cpu"


def test_gradient_stays_on_the_host(layer):
    layer(torch.ones(2)).sum().backward()
    assert layer.factor.grad.device == torch.device("cpu")
    assert not layer.factor.grad.is_cuda
    assert layer.factor.grad.numpy() == 2.0
