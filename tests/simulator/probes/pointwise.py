"""CPU and device operands in pointwise operations."""

from __future__ import annotations

import torch
from expectations import HOST, another, mismatch, placed, pointwise_mismatch, raises, same
from torch.nn import functional


def a_sum_needs_one_device(device: torch.device) -> None:
    """``x + y`` with one of them on the CPU raises, whichever comes first; the device is
    named before the CPU.

    Source: aten/src/ATen/TensorIterator.cpp, `compute_types`: "found at least two devices".
    """
    here, there = torch.ones(3, device=device), torch.ones(3)
    for operands in ((here, there), (there, here)):
        with raises(RuntimeError, pointwise_mismatch(device)):
            torch.add(*operands)


def every_binary_operation_needs_one_device(device: torch.device) -> None:
    """Arithmetic, comparison and logic refuse two devices alike.

    Source: native_functions.yaml, `device_check: NoCheck   # TensorIterator`.
    """
    here, there = torch.ones(3, device=device), torch.ones(3)
    names = "sub mul div atan2 remainder fmod pow maximum minimum eq lt ge logical_and"
    for name in names.split():
        with raises(RuntimeError, pointwise_mismatch(device)):
            getattr(torch, name)(here, there)


def a_host_scalar_joins_the_device(device: torch.device) -> None:
    """A 0-dim CPU tensor mixes with device tensors in pointwise operations, on either side;
    the result is on the device.

    Source: aten/src/ATen/TensorIterator.cpp, `allow_cpu_scalars_`.
    """
    here, scalar = torch.tensor([1.0, 2.0], device=device), torch.tensor(3.0)
    for result, expected in (
        (here * scalar, [3.0, 6.0]),
        (scalar - here, [2.0, 1.0]),
        (torch.pow(scalar, here), [3.0, 9.0]),
        (torch.maximum(here, scalar), [3.0, 3.0]),
    ):
        placed(device, result)
        same(result, expected)
    assert (here < scalar).device == device


def a_device_scalar_does_not_join_the_host(device: torch.device) -> None:
    """A 0-dim device tensor beside a CPU tensor with dimensions raises: only CPU scalars are
    exempt.

    Source: aten/src/ATen/TensorIterator.cpp, `compute_types`: the exemption asks for
    `op.tensor_base().is_cpu()`.
    """
    scalar, there = torch.tensor(3.0, device=device), torch.ones(3)
    for operands in ((scalar, there), (there, scalar)):
        with raises(RuntimeError, pointwise_mismatch(device)):
            torch.mul(*operands)


def two_scalars_meet_on_the_device(device: torch.device) -> None:
    """A 0-dim CPU tensor and a 0-dim device tensor give a 0-dim tensor on the device.

    Source: aten/src/ATen/TensorIterator.cpp, `compute_types`: the common device is the first
    that is not the CPU.
    """
    total = torch.tensor(1.0) + torch.tensor(2.0, device=device)
    placed(device, total)
    assert total.dim() == 0
    assert total.item() == 3.0


def a_target_in_place_is_never_exempt(device: torch.device) -> None:
    """``host += device`` raises even if both are 0-dim: an output is not a CPU scalar.

    Source: aten/src/ATen/TensorIterator.cpp, `compute_types`: `!op.is_output`.
    """
    for shape in ((), (3,)):
        with raises(RuntimeError, pointwise_mismatch(device)):
            torch.zeros(shape).add_(torch.ones(shape, device=device))


def a_device_target_takes_a_host_scalar_in_place(device: torch.device) -> None:
    """``device += host`` works for a 0-dim CPU tensor, changes the tensor itself, and raises
    for any other.

    Source: aten/src/ATen/TensorIterator.cpp, `allow_cpu_scalars_`.
    """
    target = torch.ones(2, device=device)
    alias = target.view(2)
    target += torch.tensor(2.0)
    same(alias, [3.0, 3.0])
    with raises(RuntimeError, pointwise_mismatch(device)):
        target.mul_(torch.ones(2))


def out_on_the_host_is_refused(device: torch.device) -> None:
    """``torch.add(x, y, out=host)`` raises; it neither moves ``out`` nor copies into it.

    Source: aten/src/ATen/TensorIterator.cpp, `compute_types` (outputs are operands, too).
    """
    here = torch.ones(3, device=device)
    with raises(RuntimeError, pointwise_mismatch(device)):
        torch.add(here, here, out=torch.empty(3))
    with raises(RuntimeError, pointwise_mismatch(device)):
        torch.exp(here, out=torch.empty(3))


def two_devices_do_not_mix(device: torch.device) -> None:
    """Tensors of two devices of the same kind raise, 0-dim ones as well.

    Source: aten/src/ATen/TensorIterator.cpp, `compute_types`; test/test_cuda_multigpu.py.
    """
    other = another(device)
    here, there = torch.ones((), device=device), torch.ones((), device=other)
    with raises(RuntimeError, pointwise_mismatch(device, other)):
        here + there
    with raises(RuntimeError, pointwise_mismatch(other, device)):
        there + here


def python_numbers_stay_numbers(device: torch.device) -> None:
    """A Python number beside a device tensor changes neither device nor dtype.

    Source: torch docs, "Type promotion"; c10/core/Scalar.h (wrapped numbers).
    """
    result = 2.0 * torch.ones(2, device=device) + 1
    placed(device, result)
    assert result.dtype is torch.float32
    assert (torch.ones(2, dtype=torch.int64, device=device) * 0.5).dtype is torch.float32


def a_host_scalar_promotes_like_a_scalar(device: torch.device) -> None:
    """A 0-dim float64 CPU tensor does not make a float32 device tensor float64; beside an
    integer one it gives float64.

    Source: torch docs, "Type promotion": 0-dim tensors count only in a higher category.
    """
    scalar = torch.tensor(0.5, dtype=torch.float64)
    assert (torch.ones(2, device=device) * scalar).dtype is torch.float32
    assert (torch.ones(2, dtype=torch.int64, device=device) * scalar).dtype is torch.float64


def where_brings_host_scalars_over(device: torch.device) -> None:
    """`torch.where` copies 0-dim CPU operands to the device, several at once.

    Source: aten/src/ATen/native/TensorCompare.cpp, `where_self_out`: "allow CPU scalars on
    non-cpu device".
    """
    condition = torch.tensor([True, False], device=device)
    values = torch.tensor([1.0, 2.0], device=device)
    placed(device, result := torch.where(condition, values, torch.tensor(9.0)))
    same(result, [1.0, 9.0])
    same(torch.where(condition, torch.tensor(5.0), torch.tensor(6.0)), [5.0, 6.0])
    same(torch.where(torch.tensor(True), values, torch.tensor(0.0)), [1.0, 2.0])


def where_needs_one_device(device: torch.device) -> None:
    """`torch.where` with a CPU condition, or a CPU branch that has dimensions, raises.

    Source: aten/src/ATen/native/TensorCompare.cpp, `where_self_out`: "let tensoriterator error
    out with it".
    """
    condition, values = torch.tensor([True, False]), torch.ones(2, device=device)
    with raises(RuntimeError, pointwise_mismatch(device)):
        torch.where(condition, values, values)
    with raises(RuntimeError, pointwise_mismatch(device)):
        torch.where(condition.to(device), values, torch.zeros(2))


def clamp_takes_no_host_bound(device: torch.device) -> None:
    """`torch.clamp` with a CPU tensor as a bound raises, even a 0-dim one.

    Source: native_functions.yaml, `clamp.Tensor` has no `device_check: NoCheck`.
    """
    here = torch.ones(3, device=device)
    with raises(RuntimeError, *mismatch("min", HOST, device, "clamp_Tensor")):
        torch.clamp(here, min=torch.tensor(0.0))


def equal_needs_one_device(device: torch.device) -> None:
    """`torch.equal` of a CPU and a device tensor raises, it does not say False.

    Source: native_functions.yaml, `equal` (CUDA: `cuda_equal`).
    """
    values = torch.ones(2)
    with raises(RuntimeError, *mismatch("other", HOST, device, "_equal")):
        torch.equal(values.to(device), values)
    assert torch.equal(values.to(device), values.to(device)) is True


def allclose_needs_one_device(device: torch.device) -> None:
    """`torch.allclose` of a CPU and a device tensor raises in its comparison.

    Source: aten/src/ATen/native/TensorCompare.cpp, `isclose` (``self == other``).
    """
    values = torch.ones(2)
    with raises(RuntimeError, pointwise_mismatch(device)):
        torch.allclose(values.to(device), values)


def fill_takes_a_scalar_from_anywhere(device: torch.device) -> None:
    """``x.fill_(value)`` with a 0-dim tensor reads its number, in either direction.

    Source: aten/src/ATen/native/Fill.cpp, `fill_(Tensor&, const Tensor&)`: `value.item()`.
    """
    here = torch.zeros(2, device=device).fill_(torch.tensor(4.0))
    placed(device, here)
    same(here, [4.0, 4.0])
    there = torch.zeros(2).fill_(torch.tensor(5.0, device=device))
    placed(HOST, there)
    same(there, [5.0, 5.0])


def masked_fill_needs_its_mask_beside_it(device: torch.device) -> None:
    """`masked_fill` with a mask on the CPU raises with a message of its own.

    Source: aten/src/ATen/native/cuda/Indexing.cu, `masked_fill__cuda`: "expected self and mask
    to be on the same device".
    """
    scores, mask = torch.ones(2, device=device), torch.tensor([True, False])
    said = (
        f"expected self and mask to be on the same device, but got mask on cpu and self on {device}"
    )
    with raises(RuntimeError, said):
        scores.masked_fill(mask, 0.0)
    with raises(RuntimeError, said):
        scores.masked_fill_(mask, 0.0)
    said = (
        f"expected self and mask to be on the same device, but got mask on {device} and self on cpu"
    )
    with raises(RuntimeError, said):
        scores.cpu().masked_fill(mask.to(device), 0.0)


def masked_fill_takes_a_host_scalar(device: torch.device) -> None:
    """The value of `masked_fill` may be a 0-dim CPU tensor.

    Source: aten/src/ATen/native/cuda/Indexing.cu, `masked_fill__cuda` with a tensor: "It is ok,
    if `value` is `CPU` tensor".
    """
    mask = torch.tensor([True, False], device=device)
    result = torch.ones(2, device=device).masked_fill(mask, torch.tensor(7.0))
    placed(device, result)
    same(result, [7.0, 1.0])


def losses_made_of_pointwise_operations(device: torch.device) -> None:
    """MSE, L1, smooth L1 and binary cross entropy say what a difference of two devices says.

    Source: native_functions.yaml, `device_check: NoCheck   # TensorIterator` of `mse_loss`,
    `smooth_l1_loss`, `binary_cross_entropy`.
    """
    prediction, target = torch.full((3,), 0.5, device=device), torch.ones(3)
    for loss in (
        functional.mse_loss,
        functional.l1_loss,
        functional.smooth_l1_loss,
        functional.binary_cross_entropy,
        functional.binary_cross_entropy_with_logits,
    ):
        with raises(RuntimeError, pointwise_mismatch(device)):
            loss(prediction, target)


def results_stay_where_operands_are(device: torch.device) -> None:
    """Reductions, casts, comparisons and ``*_like`` factories give tensors on the device.

    Source: torch docs, "Tensor attributes", `torch.device`.
    """
    here = torch.arange(6.0, device=device).view(2, 3)
    placed(device, here.sum(), here.argmax(), here.max(dim=1).indices, here.double(), here > 1)
    placed(device, torch.zeros_like(here), torch.rand_like(here), here.new_ones(2), here.bool())
    placed(device, *torch.sort(here), *here.topk(1), here.nonzero(), here.unique(), *here.unbind())
