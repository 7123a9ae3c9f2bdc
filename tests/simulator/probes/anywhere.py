"""Operations that read or copy one of their tensors, on any device, real ones included."""

from __future__ import annotations

import torch
from expectations import HOST, placed, raises, same
from torch.nn import functional


def tensors_that_lend_their_size_are_anywhere(device: torch.device) -> None:
    """`expand_as`, `view_as`, `reshape_as`, `broadcast_tensors` and `resize_as_` read a size.

    Source: native_functions.yaml, ``device_check: NoCheck`` at each of them; aten/src/ATen/native/
    TensorShape.cpp.
    """
    here, there = torch.ones(1, 4, device=device), torch.ones(2, 2)
    placed(device, here.view_as(there), here.reshape_as(there), here.expand_as(torch.ones(3, 4)))
    one, other = torch.broadcast_tensors(here, torch.ones(2, 1))
    placed(device, one)
    placed(HOST, other)
    placed(device, torch.empty(0, device=device).resize_as_(there))


def what_is_scattered_into_a_copy_may_come_from_the_host(device: torch.device) -> None:
    """`slice_scatter`, `select_scatter` and `diagonal_scatter` copy their source into a copy, so
    the source may be on the CPU.

    Source: aten/src/ATen/native/TensorShape.cpp, ``slice.copy_(src)``.
    """
    here, ones = torch.zeros(2, 2, device=device), torch.ones(2)
    same(torch.select_scatter(here, ones, 0, 1), [[0.0, 0.0], [1.0, 1.0]])
    same(torch.diagonal_scatter(here, ones), [[1.0, 0.0], [0.0, 1.0]])
    same(torch.slice_scatter(here, torch.ones(2, 1), 1, 1), [[0.0, 1.0], [0.0, 1.0]])


def a_loss_that_fetches_its_labels(device: torch.device) -> None:
    """`ctc_loss` takes labels and lengths to the device it needs.

    Source: aten/src/ATen/native/LossCTC.cpp, ``targets.to(log_probs.device(), kLong)``,
    ``input_lengths.to(Device(at::kCPU), at::kLong)``.
    """
    chances = torch.zeros(4, 1, 3, device=device).log_softmax(2)
    lengths = torch.tensor([4]), torch.tensor([2])
    expected = functional.ctc_loss(chances.cpu(), torch.ones(1, 2).long(), *lengths)
    for labels in (torch.ones(1, 2).long(), torch.ones(1, 2, device=device).long()):
        same(functional.ctc_loss(chances, labels, *lengths), expected)
    there = [length.to(device) for length in lengths]
    same(functional.ctc_loss(chances, torch.ones(1, 2).long(), *there), expected)


def an_inner_product_has_words_of_its_own(device: torch.device) -> None:
    """`inner` and `take_along_dim` compare devices themselves.

    Source: aten/src/ATen/native/LinearAlgebra.cpp, `inner`; TensorAdvancedIndexing.cpp,
    `take_along_dim` (``checkDeviceType``, aten/src/ATen/TensorUtils.cpp).
    """
    here, there = torch.ones(3, device=device), torch.ones(3)
    with raises(RuntimeError, "Expected tensor to have cuda DeviceType, but got tensor with cpu"):
        torch.inner(here, there)
    with raises(RuntimeError, "Expected tensor to have cuda", f"Expected tensor to have {device}"):
        torch.take_along_dim(here, torch.tensor([0]), 0)


def without_elements_nothing_meets(device: torch.device) -> None:
    """A batch without elements passes `batch_norm` beside running means on the CPU; with elements
    it does not.

    Source: aten/src/ATen/native/Normalization.cpp, `_batch_norm_impl_index`:
    ``input.sym_numel() == 0``.
    """
    mean, variance = torch.zeros(3), torch.ones(3)
    empty = torch.ones(0, 3, 2, device=device)
    placed(device, functional.batch_norm(empty, mean, variance))
    with raises(RuntimeError, "running_mean"):
        functional.batch_norm(torch.ones(2, 3, 2, device=device), mean, variance)
