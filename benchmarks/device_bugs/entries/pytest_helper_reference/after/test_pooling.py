import pytest
import torch

from pooling import segment_max, segment_mean


def reference(values, segments, count, reduce):
    out = torch.zeros(count, values.size(1), device=values.device)
    for segment in range(count):
        out[segment] = reduce(values[segments == segment])
    return out


@pytest.mark.parametrize("count", [1, 3, 5])
def test_mean(device, count):
    values = torch.randn(20, 4, device=device)
    segments = (torch.arange(20) % count).to(device)
    expected = reference(values, segments, count, lambda rows: rows.mean(0))
    torch.testing.assert_close(segment_mean(values, segments, count), expected)


@pytest.mark.parametrize("count", [2, 4])
def test_max(device, count):
    values = torch.randn(20, 4, device=device)
    segments = (torch.arange(20) % count).to(device)
    expected = reference(values, segments, count, lambda rows: rows.amax(0))
    assert torch.equal(segment_max(values, segments, count), expected)


def test_empty_segment(device):
    values = torch.ones(4, 2, device=device)
    segments = torch.tensor([0, 0, 2, 2])
    means = segment_mean(values, segments.to(device), 3)
    assert means[1].abs().sum().item() == 0
