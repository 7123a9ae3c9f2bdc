"""Autocast and gradient scaling."""

from __future__ import annotations

import torch
from expectations import placed, raises
from torch import nn


def autocast_multiplies_in_half(device: torch.device) -> None:
    """Under ``autocast("cuda")`` products of device tensors are float16, sums stay float32.

    Source: torch docs, "CUDA Ops that can autocast to float16"; aten/src/ATen/autocast_mode.cpp.
    """
    here = torch.ones(2, 2, device=device)
    with torch.autocast("cuda"):
        assert (here @ here).dtype is torch.float16
        assert nn.Linear(2, 2).to(device)(here).dtype is torch.float16
        assert (here + here).dtype is torch.float32
        assert (here @ here).softmax(0).dtype is torch.float32
    assert (here @ here).dtype is torch.float32


def autocast_of_the_device_leaves_the_host(device: torch.device) -> None:
    """``autocast("cuda")`` does not touch CPU tensors, ``autocast("cpu")`` not those of the
    device.

    Source: aten/src/ATen/autocast_mode.cpp: one dispatch key per type of device.
    """
    here, there = torch.ones(2, 2, device=device), torch.ones(2, 2)
    with torch.autocast("cuda"):
        assert (there @ there).dtype is torch.float32
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert (here @ here).dtype is torch.float32
        assert (there @ there).dtype is torch.bfloat16


def autocast_can_be_bfloat16_or_off(device: torch.device) -> None:
    """``dtype=torch.bfloat16`` is taken, ``enabled=False`` inside switches off.

    Source: torch docs, `torch.autocast`.
    """
    here = torch.ones(2, 2, device=device)
    with torch.autocast("cuda", dtype=torch.bfloat16):
        assert torch.is_autocast_enabled()
        assert (here @ here).dtype is torch.bfloat16
        with torch.autocast("cuda", enabled=False):
            assert (here @ here).dtype is torch.float32


def autocast_reaches_backward(device: torch.device) -> None:
    """Gradients of float32 parameters are float32 on the device under autocast.

    Source: torch docs, "Automatic Mixed Precision".
    """
    layer = nn.Linear(2, 2).to(device)
    with torch.autocast("cuda"):
        loss = layer(torch.ones(1, 2, device=device)).float().sum()
    loss.backward()
    assert layer.weight.grad is not None
    placed(device, layer.weight.grad)
    assert layer.weight.grad.dtype is torch.float32


def binary_cross_entropy_is_unsafe(device: torch.device) -> None:
    """`binary_cross_entropy` under ``autocast("cuda")`` raises and names the safe form.

    Source: aten/src/ATen/autocast_mode.cpp, `binary_cross_entropy_banned`.
    """
    half = torch.full((2,), 0.5, device=device)
    with (
        torch.autocast("cuda"),
        raises(RuntimeError, "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are"),
    ):
        nn.functional.binary_cross_entropy(half, half)


def the_old_names_still_work(device: torch.device) -> None:
    """`torch.cuda.amp.autocast` and `torch.cuda.amp.GradScaler` are those of `torch.amp`.

    Source: torch/cuda/amp/autocast_mode.py, grad_scaler.py.
    """
    here = torch.ones(2, 2, device=device)
    with torch.cuda.amp.autocast():
        assert (here @ here).dtype is torch.float16
    assert torch.cuda.amp.GradScaler().is_enabled()
    assert torch.cuda.is_bf16_supported() in (True, False)
    assert torch.get_autocast_dtype("cuda") is torch.float16
