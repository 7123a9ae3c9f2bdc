"""`torch.use_deterministic_algorithms`: operations without one on the device raise."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from expectations import RELEASE, placed, raises, same
from torch import nn
from torch.nn import functional


@contextmanager
def _deterministic(warn_only: bool = False) -> Iterator[None]:
    torch.use_deterministic_algorithms(True, warn_only=warn_only)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(False)


def _alert(caller: str) -> str:
    return f"{caller} does not have a deterministic implementation, but you set 'torch.use_det"


def _backward(layer: Callable[[torch.Tensor], torch.Tensor], data: torch.Tensor) -> None:
    layer(data.requires_grad_()).sum().backward()


def derivatives_of_pooling_have_no_order(device: torch.device) -> None:
    """Adaptive and three-dimensional pooling compute, and raise in backward.

    Source: torch docs, `torch.use_deterministic_algorithms`; test/test_torch.py,
    ``test_nondeterministic_alert_AvgPool3d`` and its kin.
    """
    with _deterministic():
        for layer, sizes, caller in (
            (nn.AvgPool3d(2), (1, 1, 4, 4, 4), "avg_pool3d_backward_cuda"),
            (nn.AdaptiveAvgPool2d(2), (1, 1, 4, 4), "adaptive_avg_pool2d_backward_cuda"),
            (nn.AdaptiveMaxPool2d(2), (1, 1, 4, 4), "adaptive_max_pool2d_backward_cuda"),
            (nn.AdaptiveAvgPool3d(2), (1, 1, 4, 4, 4), "adaptive_avg_pool3d_backward_cuda"),
        ):
            data = torch.ones(sizes, device=device)
            placed(device, layer(data))
            with raises(RuntimeError, _alert(caller)):
                _backward(layer, data)
        _backward(nn.MaxPool2d(2), torch.ones(1, 1, 4, 4, device=device))


def derivatives_of_interpolation_have_no_order(device: torch.device) -> None:
    """Bicubic interpolation, reflecting borders in three dimensions and sampling on a grid raise in
    backward.

    Source: torch docs, `torch.use_deterministic_algorithms`; aten/src/ATen/native/cuda/
    UpSampleBicubic2d.cu, ReflectionPad.cu, GridSampler.cpp.
    """
    plane, space = (1, 1, 4, 4), (1, 1, 2, 2, 2)

    def bicubic(data: torch.Tensor) -> torch.Tensor:
        return functional.interpolate(data, scale_factor=2, mode="bicubic")

    def sample(data: torch.Tensor) -> torch.Tensor:
        return functional.grid_sample(data, torch.zeros(1, 2, 2, 2, device=device))

    with _deterministic():
        for layer, sizes, caller in (
            (bicubic, plane, "upsample_bicubic2d_backward_out_cuda"),
            (nn.ReflectionPad3d(1), space, "reflection_pad3d_backward_out_cuda"),
            (sample, plane, "grid_sampler_2d_backward_cuda"),
        ):
            with raises(RuntimeError, _alert(caller)):
                _backward(layer, torch.ones(sizes, device=device))


def counts_have_no_order(device: torch.device) -> None:
    """`histc`, weighted `bincount`, `median` with indices and `put_` raise at once; `bincount`
    without weights does not.

    Source: torch docs, `torch.use_deterministic_algorithms`; aten/src/ATen/native/cuda/
    SummaryOps.cu, Sorting.cpp, TensorAdvancedIndexing.cpp (`put_`).
    """
    here, numbers = torch.ones(4, device=device), torch.arange(4, device=device)
    with _deterministic():
        for compute, caller in (
            (lambda: torch.histc(here), "_histc_cuda with floating point input"),
            (lambda: torch.bincount(numbers, here), "_bincount_cuda"),
            (lambda: here.median(0), "median CUDA with indices output"),
            (lambda: here.clone().put_(numbers, here), "put_"),
        ):
            with raises(RuntimeError, _alert(caller)):
                compute()
        same(torch.bincount(numbers), [1, 1, 1, 1])
        same(here.median(), 1.0)


def what_got_an_order_raises_no_more(device: torch.device) -> None:
    """`cumsum` of floating point numbers, reflecting borders in two dimensions and `kthvalue` had
    no order once; `cumsum` of integers always had.

    The documentation went on to name them. Which release has which alert was read in the wheels;
    a card with 2.11 raised none for the first two.
    Source: aten/src/ATen/native/cuda/ScanKernels.cpp, ReflectionPad.cu, Sorting.cpp;
    pytorch/pytorch#136224, #136241, #165762.
    """
    here, numbers = torch.ones(4, device=device), torch.arange(4, device=device)
    borders = torch.ones(1, 1, 4, 4, device=device)
    with _deterministic():
        for compute, caller, since in (
            (lambda: here.cumsum(0), "cumsum_cuda_kernel", (2, 6)),
            (lambda: numbers.cumsum(0, dtype=torch.float32), "cumsum_cuda_kernel", (2, 6)),
            (
                lambda: _backward(nn.ReflectionPad2d(1), borders),
                "reflection_pad2d_backward_cuda",
                (2, 7),
            ),
            (lambda: here.kthvalue(1), "kthvalue CUDA", (2, 10)),
        ):
            if since <= RELEASE:
                compute()
                continue
            with raises(RuntimeError, _alert(caller)):
                compute()
        same(numbers.cumsum(0), [0, 1, 3, 6])


def losses_without_order(device: torch.device) -> None:
    """The loss of a class for each pixel raises at once, CTC in backward.

    Source: torch docs, `torch.use_deterministic_algorithms`; aten/src/ATen/native/cuda/
    NLLLoss2d.cu, LossCTC.cu.
    """
    pixels = torch.zeros(1, 2, 3, 3, device=device)
    labels = torch.zeros(1, 3, 3, dtype=torch.int64, device=device)
    rows = torch.zeros(2, 2, device=device, requires_grad=True)
    chances = torch.zeros(4, 1, 3, device=device, requires_grad=True).log_softmax(2)
    with _deterministic():
        with raises(RuntimeError, _alert("nll_loss2d_forward_out_cuda_template")):
            functional.cross_entropy(pixels, labels)
        functional.cross_entropy(rows, labels[0, 0, :2]).backward()
        words = torch.ones(1, 2, dtype=torch.int64, device=device)
        loss = functional.ctc_loss(chances, words, torch.tensor([4]), torch.tensor([2]))
        with raises(RuntimeError, _alert("ctc_loss_backward_gpu")):
            loss.backward()


def an_alert_may_be_a_warning(device: torch.device) -> None:
    """With ``warn_only`` the operation warns and computes.

    Source: aten/src/ATen/Context.cpp, ``alertNotDeterministic``.
    """
    zeros = torch.zeros(2, device=device)
    with _deterministic(warn_only=True), warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        same(torch.histc(zeros, 2, 0, 1), [2.0, 0.0])
    said = _alert("_histc_cuda with floating point input")
    assert any(said in str(warning.message) for warning in seen)
    same(torch.histc(zeros, 2, 0, 1), [2.0, 0.0])
