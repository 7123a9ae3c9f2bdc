"""Indices, masks and gathers on the CPU and on the device."""

from __future__ import annotations

import torch
from expectations import HOST, another, mismatch, placed, pointwise_mismatch, raises, same


def _elsewhere(device: torch.device) -> str:
    return f"indices should be either on cpu or on the same device as the indexed tensor ({device})"


def a_host_index_reads_a_device_tensor(device: torch.device) -> None:
    """``x[index]`` with a CPU index or CPU mask works and gives a device tensor.

    Source: aten/src/ATen/native/TensorAdvancedIndexing.cpp: "Only allow:
    `dev_tensor[{cpu,dev}_tensor]`"; TensorAdvancedIndexingUtils.h, `make_info`.
    """
    values = torch.arange(4.0, device=device)
    for index in (torch.tensor([3, 0]), torch.tensor([True, False, False, True])):
        placed(device, values[index], values[index.to(device)])
    same(values[torch.tensor([3, 0])], [3.0, 0.0])
    same(values[torch.tensor([True, False, False, True])], [0.0, 3.0])


def a_device_index_does_not_read_a_host_tensor(device: torch.device) -> None:
    """``host[index]`` with a device index or device mask raises.

    Source: aten/src/ATen/native/TensorAdvancedIndexing.cpp, `check_indices_on_cpu_or_selfdevice`.
    """
    values = torch.arange(4.0)
    for index in (torch.tensor([3, 0]), torch.tensor([True, False, False, True])):
        with raises(RuntimeError, _elsewhere(HOST)):
            values[index.to(device)]


def an_index_of_another_device_is_refused(device: torch.device) -> None:
    """``x[index]`` with an index on a second device raises and names the device of ``x``.

    Source: aten/src/ATen/native/TensorAdvancedIndexing.cpp, `check_indices_on_cpu_or_selfdevice`.
    """
    index = torch.tensor([1], device=another(device))
    with raises(RuntimeError, _elsewhere(device)):
        torch.arange(4.0, device=device)[index]


def mixed_indices_read_a_device_tensor(device: torch.device) -> None:
    """Of several indices of a device tensor some may be on the CPU.

    Source: test/test_torch.py, `test_advancedindex_mixed_cpu_devices`;
    TensorAdvancedIndexingUtils.h, `make_info`.
    """
    values = torch.arange(6.0, device=device).view(2, 3)
    chosen = values[torch.tensor([0, 1]), torch.tensor([2, 0], device=device)]
    placed(device, chosen)
    same(chosen, [2.0, 3.0])


def an_integer_tensor_is_an_integer(device: torch.device) -> None:
    """A 0-dim integer device tensor indexes CPU tensors, lists and ranges: its number is read.

    Source: aten/src/ATen/TensorIndexing.h, `handleDimInMultiDimIndexing`: `tensor.item<int64_t>()`;
    `Tensor.__index__`.
    """
    one = torch.tensor(1, device=device)
    same(torch.tensor([5.0, 6.0])[one], 6.0)
    assert [5, 6][one] == 6
    assert list(range(one)) == [0]
    assert torch.zeros(3)[:one].shape == (1,)


def a_host_tensor_is_written_through_a_device_index(device: torch.device) -> None:
    """``host[index] = values`` works with a device index or device mask, unlike the reading:
    the index is brought over.

    Source: aten/src/ATen/native/TensorAdvancedIndexing.cpp, `_index_put_impl_` (no device check
    of the indices), and `make_info`, which moves them to the device of ``self``.
    """
    values = torch.zeros(3)
    values[torch.tensor([2, 0], device=device)] = torch.tensor([1.0, 2.0])
    same(values, [2.0, 0.0, 1.0])
    values[torch.tensor([False, True, False], device=device)] = 7.0
    same(values, [2.0, 7.0, 1.0])
    placed(HOST, values)


def a_device_tensor_is_written_through_a_host_index(device: torch.device) -> None:
    """``x[index] = values`` works with a CPU index, CPU mask and a 0-dim CPU value.

    Source: aten/src/ATen/native/TensorAdvancedIndexing.cpp, `_index_put_impl_`.
    """
    values = torch.zeros(3, device=device)
    values[torch.tensor([2, 0])] = torch.tensor([1.0, 2.0], device=device)
    values[torch.tensor([False, True, False])] = torch.tensor(7.0)
    values[torch.tensor([2])] = 5
    same(values, [2.0, 7.0, 5.0])


def assigned_values_live_with_the_target(device: torch.device) -> None:
    """``x[index] = values`` raises if ``values`` has dimensions and is elsewhere.

    Source: aten/src/ATen/native/TensorAdvancedIndexing.cpp, `make_index_put_iterator`; message
    of TensorIterator.
    """
    index = torch.tensor([0, 1])
    with raises(RuntimeError, pointwise_mismatch(device)):
        torch.zeros(3, device=device)[index] = torch.ones(2)
    with raises(RuntimeError, pointwise_mismatch(device)):
        torch.zeros(3)[index] = torch.ones(2, device=device)


def a_slice_is_copied_into(device: torch.device) -> None:
    """``x[1:] = values`` without a tensor as index is a copy, and copies work across devices.

    Source: torch/csrc/autograd/python_variable_indexing.cpp, `THPVariable_setitem` (`copy_to`);
    native_functions.yaml, `copy_`: `device_check: NoCheck`.
    """
    here, there = torch.zeros(3, device=device), torch.zeros(3)
    here[1:] = torch.tensor([1.0, 2.0])
    there[0] = torch.tensor(4.0, device=device)
    there[1:] = here[1:]
    placed(device, here)
    placed(HOST, there)
    same(there, [4.0, 1.0, 2.0])


def accumulating_values_live_with_the_target(device: torch.device) -> None:
    """``index_put_(..., accumulate=True)`` has its own message, with the device of the values;
    CPU indices are fine.

    Source: aten/src/ATen/native/TensorAdvancedIndexing.cpp, `_index_put_impl_`: "for value tensor".
    """
    target, index = torch.zeros(3, device=device), torch.tensor([0, 0])
    target.index_put_((index,), torch.ones(2, device=device), accumulate=True)
    same(target, [2.0, 0.0, 0.0])
    said = f"expected device {device} but got device cpu for value tensor"
    with raises(RuntimeError, said):
        target.index_put_((index,), torch.ones(2), accumulate=True)


def index_select_needs_one_device(device: torch.device) -> None:
    """`index_select` takes no CPU index for a device tensor, nor vice versa.

    Source: native_functions.yaml, `index_select` (checked); the wrapper names the argument.
    """
    values, index = torch.arange(4.0), torch.tensor([1])
    with raises(RuntimeError, *mismatch("index", HOST, device, "_index_select")):
        values.to(device).index_select(0, index)
    with raises(RuntimeError, *mismatch("index", device, HOST, "_index_select")):
        values.index_select(0, index.to(device))


def gather_needs_one_device(device: torch.device) -> None:
    """`gather` takes no CPU index for a device tensor, nor vice versa.

    Source: native_functions.yaml, `gather` (checked).
    """
    values, index = torch.arange(4.0).view(2, 2), torch.zeros(2, 1, dtype=torch.int64)
    with raises(RuntimeError, *mismatch("index", HOST, device, "gather")):
        values.to(device).gather(1, index)
    with raises(RuntimeError, *mismatch("index", device, HOST, "gather")):
        values.gather(1, index.to(device))
    same(values.to(device).gather(1, index.to(device)), [[0.0], [2.0]])


def scatter_needs_one_device(device: torch.device) -> None:
    """`scatter` and `scatter_add` want index and source beside the target.

    Source: native_functions.yaml, `scatter.src`, `scatter_add` (checked, arguments in order).
    """
    target, source = torch.zeros(2, device=device), torch.ones(2, device=device)
    index = torch.tensor([1, 0])
    with raises(RuntimeError, *mismatch("index", HOST, device, "scatter_src")):
        target.scatter(0, index, source)
    with raises(RuntimeError, *mismatch("src", HOST, device, "scatter_src")):
        target.scatter(0, index.to(device), source.cpu())
    with raises(RuntimeError, *mismatch("index", HOST, device, "scatter_add")):
        target.scatter_add(0, index, source)


def index_add_and_index_copy_need_one_device(device: torch.device) -> None:
    """`index_add` and `index_copy` want index and source beside the target.

    Source: native_functions.yaml, `index_add`, `index_copy` (checked).
    """
    target, source = torch.zeros(2, device=device), torch.ones(1, device=device)
    index = torch.tensor([1])
    with raises(RuntimeError, *mismatch("index", HOST, device, "index_add")):
        target.index_add(0, index, source)
    with raises(RuntimeError, *mismatch("source", HOST, device, "index_copy")):
        target.index_copy(0, index.to(device), source.cpu())


def take_and_put_need_one_device(device: torch.device) -> None:
    """`take` and `put_` are checked in front of the kernel, before they look themselves.

    Source: native_functions.yaml, `take`, `put_` (checked).
    """
    values, index = torch.arange(3.0, device=device), torch.tensor([2])
    with raises(RuntimeError, *mismatch("index", HOST, device, "_take")):
        values.take(index)
    with raises(RuntimeError, *mismatch("index", HOST, device, "_put_")):
        values.put_(index, torch.ones(1, device=device))


def masked_select_needs_one_device(device: torch.device) -> None:
    """`masked_select` takes no CPU mask, although ``x[mask]`` does.

    Source: native_functions.yaml, `masked_select` (checked).
    """
    values, mask = torch.arange(2.0, device=device), torch.tensor([True, False])
    with raises(RuntimeError, *mismatch("mask", HOST, device, "_masked_select")):
        values.masked_select(mask)
    same(values.masked_select(mask.to(device)), [0.0])


def lists_of_numbers_index_a_device_tensor(device: torch.device) -> None:
    """``x[[2, 0]]``, ``x[None]``, ``x[..., 1]`` and slices need no tensor and stay on the device.

    Source: torch/csrc/autograd/python_variable_indexing.cpp, `applySlicing`.
    """
    values = torch.arange(6.0, device=device).view(2, 3)
    placed(device, values[[1, 0]], values[None], values[..., 1], values[:, 1:], values[0, 2])
    same(values[:, [2, 0]], [[2.0, 0.0], [5.0, 3.0]])


def repeat_interleave_needs_one_device(device: torch.device) -> None:
    """`repeat_interleave` takes no CPU repeats for a device tensor.

    Source: aten/src/ATen/native/Repeat.cpp: the index made of the repeats goes to `index_select`.
    """
    values, repeats = torch.arange(2.0, device=device), torch.tensor([1, 2])
    with raises(RuntimeError, *mismatch("index", HOST, device, "_index_select")):
        values.repeat_interleave(repeats)
    same(values.repeat_interleave(repeats.to(device)), [0.0, 1.0, 1.0])


def bucketize_needs_one_device(device: torch.device) -> None:
    """`bucketize` takes no CPU boundaries for a device tensor.

    Source: native_functions.yaml, `bucketize.Tensor` (checked).
    """
    values, boundaries = torch.tensor([0.5], device=device), torch.tensor([0.0, 1.0])
    with raises(RuntimeError, *mismatch("boundaries", HOST, device, "Tensor_bucketize")):
        torch.bucketize(values, boundaries)


def a_device_scalar_bounds_a_host_slice(device: torch.device) -> None:
    """A device length cuts a CPU tensor: ``host[:n]`` reads the number.

    Source: `Tensor.__index__`; torch/csrc/utils/python_arg_parser / THPVariable_index_scalar.
    """
    length = torch.tensor(2, device=device)
    assert torch.arange(5)[:length].tolist() == [0, 1]
    assert torch.arange(5)[length:].tolist() == [2, 3, 4]
