"""Transfers to the CPU: NumPy, Python numbers, printing, copies and pinned memory."""

from __future__ import annotations

import copy

import torch
from expectations import HOST, Skipped, placed, raises, same
from torch.utils.data import DataLoader, TensorDataset

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]


def _array_library() -> None:
    if numpy is None:
        raise Skipped("needs NumPy")


def _to_numpy(device: torch.device) -> str:
    return (
        f"can't convert {device} device type tensor to numpy. "
        "Use Tensor.cpu() to copy the tensor to host memory first."
    )


def numpy_is_refused(device: torch.device) -> None:
    """``x.numpy()`` on the device raises TypeError and says what to do.

    Source: torch/csrc/utils/tensor_numpy.cpp, `tensor_to_numpy`.
    """
    _array_library()
    with raises(TypeError, _to_numpy(device)):
        torch.ones(2, device=device).numpy()


def arrays_of_a_device_tensor_are_refused(device: torch.device) -> None:
    """``numpy.asarray(x)`` and functions of NumPy raise what ``x.numpy()`` raises.

    Source: torch/_tensor.py, `Tensor.__array__` calls `numpy()`.
    """
    _array_library()
    here = torch.ones(2, device=device)
    for convert in (numpy.asarray, numpy.array, numpy.sin):
        with raises(TypeError, _to_numpy(device)):
            convert(here)


def numpy_by_force_copies(device: torch.device) -> None:
    """``x.numpy(force=True)`` detaches and copies.

    Source: torch docs, `Tensor.numpy`: ``t.detach().cpu().resolve_conj().resolve_neg().numpy()``.
    """
    _array_library()
    here = torch.ones(2, device=device, requires_grad=True)
    array = here.numpy(force=True)
    array[0] = 5
    same(here, [1.0, 1.0])


def an_array_is_copied_to_the_device(device: torch.device) -> None:
    """`from_numpy` shares memory with the array, its transfer does not; `as_tensor` with a
    device copies, too.

    Source: torch docs, `from_numpy`, `as_tensor`.
    """
    _array_library()
    array = numpy.zeros(2, dtype="float32")
    shared = torch.from_numpy(array)
    moved, made = shared.to(device), torch.as_tensor(array, device=device)
    array[0] = 1
    same(shared, [1.0, 0.0])
    same(moved, [0.0, 0.0])
    same(made, [0.0, 0.0])
    placed(device, moved, made, torch.tensor(array, device=device))


def numbers_of_numpy_meet_the_device(device: torch.device) -> None:
    """A NumPy number times a device tensor is a device tensor.

    Source: torch/_tensor.py, `__array_priority__ = 1000`.
    """
    _array_library()
    here = torch.ones(2, device=device)
    placed(device, here * numpy.float32(2), numpy.float32(2) * here)


def numbers_are_read_from_the_device(device: torch.device) -> None:
    """`item`, `tolist`, ``float``, ``int``, ``bool`` and formatting read the device.

    Source: aten/src/ATen/native/cuda/CUDAScalar.cu, `_local_scalar_dense_cuda`;
    torch/_tensor.py, `__format__`.
    """
    here = torch.tensor(2.5, device=device)
    assert here.item() == 2.5
    assert float(here) == 2.5
    assert int(here) == 2
    assert bool(here)
    assert f"{here:.2f}" == "2.50"
    assert torch.arange(3, device=device).tolist() == [0, 1, 2]
    assert [element.device for element in torch.arange(2, device=device)] == [device] * 2
    assert torch.tensor(1, device=device) in torch.arange(2, device=device)


def a_number_needs_one_element(device: torch.device) -> None:
    """``bool`` and `item` of several elements raise as on the CPU.

    Source: aten/src/ATen/native/Scalar.cpp, `item`; torch/csrc/autograd: `is_nonzero`.
    """
    here = torch.ones(2, device=device)
    with raises(RuntimeError, "a Tensor with 2 elements cannot be converted to Scalar"):
        here.item()
    with raises(RuntimeError, "Boolean value of Tensor with more than one value is ambiguous"):
        bool(here)


def printing_names_the_device(device: torch.device) -> None:
    """``repr`` of a device tensor ends in ``device='cuda:0'``; of a CPU tensor it does not.

    Source: torch/_tensor_str.py, `_str_intern`.
    """
    assert repr(torch.tensor([1.0, 2.0], device=device)) == f"tensor([1., 2.], device='{device}')"
    assert str(torch.tensor(3, device=device)) == f"tensor(3, device='{device}')"
    assert "device" not in repr(torch.ones(1))
    parameter = torch.nn.Parameter(torch.ones(1, device=device))
    assert f"device='{device}', requires_grad=True" in repr(parameter)


def a_tensor_says_where_it_is(device: torch.device) -> None:
    """`device`, `is_cuda`, `get_device`, `is_cpu`.

    Source: torch docs, "Tensor attributes"; `Tensor.get_device`: -1 for CPU tensors.
    """
    here, there = torch.ones(1, device=device), torch.ones(1)
    assert (here.device.type, here.device.index) == ("cuda", device.index)
    assert (here.is_cuda, here.is_cpu, here.get_device()) == (True, False, device.index)
    assert (there.is_cuda, there.is_cpu, there.get_device()) == (False, True, -1)
    assert torch.get_device(here) == device.index if hasattr(torch, "get_device") else True
    assert here.device == torch.device("cuda:0")
    assert here.device != torch.device("cuda")
    assert type(here) is torch.Tensor


def a_move_to_where_it_is_gives_itself(device: torch.device) -> None:
    """``x.to(x.device)``, ``x.to("cuda")`` on the current device and ``x.cuda()`` are ``x``;
    with ``copy=True`` they are not.

    Source: torch docs, `Tensor.to`: "the self Tensor is returned".
    """
    here, there = torch.ones(2, device=device), torch.ones(2)
    assert here.to(device) is here
    assert here.to("cuda") is here
    assert here.cuda() is here
    assert here.to(torch.ones(1, device=device)) is here
    assert there.cpu() is there
    assert here.to(device, copy=True) is not here
    assert here.to(device).data_ptr() == here.data_ptr()


def a_move_is_a_copy(device: torch.device) -> None:
    """Writing to what was moved does not change the original, in either direction.

    Source: torch docs, `Tensor.to`: "Otherwise, the returned tensor is a copy".
    """
    there = torch.zeros(2)
    here = there.to(device)
    there[0] = 1
    same(here, [0.0, 0.0])
    back = here.cpu()
    here[1] = 2
    same(back, [0.0, 0.0])
    same(here, [0.0, 2.0])


def a_move_can_change_the_dtype(device: torch.device) -> None:
    """``x.to(device, dtype)`` and ``x.to(other)`` change both at once; strides are kept.

    Source: torch docs, `Tensor.to`.
    """
    there = torch.arange(6.0).view(2, 3).t()
    here = there.to(device, torch.float64, non_blocking=True)
    assert (here.device, here.dtype, here.stride()) == (device, torch.float64, there.stride())
    back = here.to(torch.ones(1, dtype=torch.int64))
    assert (back.device, back.dtype) == (HOST, torch.int64)
    same(back, there)


def copies_cross_devices(device: torch.device) -> None:
    """``x.copy_(y)`` writes into ``x`` wherever ``y`` is, and broadcasts and casts.

    Source: native_functions.yaml, `copy_`: `device_check: NoCheck`; aten/src/ATen/native/Copy.cpp.
    """
    here, there = torch.zeros(2, 2, device=device), torch.zeros(2, dtype=torch.float64)
    assert here.copy_(torch.tensor([1, 2])) is here
    same(here, [[1.0, 2.0], [1.0, 2.0]])
    there.copy_(here[0])
    placed(HOST, there)
    same(there, [1.0, 2.0])


def deep_copies_stay_on_the_device(device: torch.device) -> None:
    """`deepcopy` and `clone` copy on the device; `copy.copy`, `detach` and views share memory.

    Source: torch/_tensor.py, `Tensor.__deepcopy__`.
    """
    here = torch.zeros(2, device=device)
    deep, clone, shallow, view = copy.deepcopy(here), here.clone(), copy.copy(here), here.view(1, 2)
    placed(device, deep, clone, shallow, view, here.detach())
    here[0] = 1
    same(deep, [0.0, 0.0])
    same(clone, [0.0, 0.0])
    same(shallow, [1.0, 0.0])
    same(view, [[1.0, 0.0]])
    same(here.detach(), [1.0, 0.0])


def conjugates_and_negatives_survive_a_move(device: torch.device) -> None:
    """Lazy conjugation and negation keep their meaning when a tensor is transferred.

    Source: aten/src/ATen/native/Copy.cpp, `copy_`; aten/src/ATen/ConjugateFallback.cpp.
    """
    there = torch.tensor([1 + 2j, 3 - 1j])
    here = there.to(device)
    same(here.conj(), there.conj())
    same(there.conj().to(device), there.conj())
    same(here.conj().imag, there.conj().imag)
    same(torch.view_as_real(here), torch.view_as_real(there))
    same(torch.fft.ifft(torch.fft.fft(here)), there)


def pinned_memory_is_on_the_host(device: torch.device) -> None:
    """`pin_memory` gives a CPU tensor that says so, and is copied like any other.

    Source: torch docs, `Tensor.pin_memory`, `Tensor.is_pinned`.
    """
    there = torch.ones(2)
    pinned = there.pin_memory()
    placed(HOST, pinned, torch.empty(2, pin_memory=True), torch.ones(1, pin_memory=True))
    assert pinned.is_pinned()
    assert pinned.pin_memory() is pinned
    assert not there.is_pinned()
    placed(device, pinned.to(device, non_blocking=True))


def a_device_tensor_cannot_be_pinned(device: torch.device) -> None:
    """`pin_memory` of a device tensor raises; `is_pinned` says no.

    Source: aten/src/ATen/native/Memory.cpp, `_pin_memory`: "only dense CPU tensors can be pinned".
    """
    here = torch.ones(2, device=device)
    assert not here.is_pinned()
    with raises(RuntimeError, "cannot pin 'torch.cuda.FloatTensor' only dense CPU tensors can be"):
        here.pin_memory()


def a_loader_pins_its_batches(device: torch.device) -> None:
    """``DataLoader(pin_memory=True)`` gives pinned CPU batches.

    Source: torch/utils/data/_utils/pin_memory.py.
    """
    data = TensorDataset(torch.ones(4, 2), torch.arange(4))
    for batch, labels in DataLoader(data, batch_size=2, pin_memory=True):
        placed(HOST, batch, labels)
        assert batch.is_pinned()
        placed(device, batch.to(device, non_blocking=True))


def a_loader_over_device_tensors(device: torch.device) -> None:
    """Without workers a loader collates samples where they are.

    Source: torch/utils/data/_utils/collate.py, `collate_tensor_fn` (`torch.stack`).
    """
    data = TensorDataset(torch.ones(4, 2, device=device))
    for (batch,) in DataLoader(data, batch_size=2):
        placed(device, batch)


def a_pinning_loader_refuses_device_tensors(device: torch.device) -> None:
    """``pin_memory=True`` with device samples raises in the loader.

    Source: aten/src/ATen/native/Memory.cpp, `_pin_memory`; torch/utils/data/_utils/pin_memory.py.
    """
    data = TensorDataset(torch.ones(2, 2, device=device))
    with raises(RuntimeError, "only dense CPU tensors can be pinned"):
        list(DataLoader(data, pin_memory=True))


def lists_of_device_numbers_become_host_tensors(device: torch.device) -> None:
    """``torch.tensor([x, y])`` of 0-dim device tensors is a CPU tensor; ``torch.tensor(x)``
    stays on the device.

    Source: torch/csrc/utils/tensor_new.cpp, `internal_new_from_data` (only a tensor as such
    gives its device).
    """
    one = torch.tensor(1.0, device=device)
    placed(HOST, torch.tensor([one, one]))
    placed(device, torch.tensor([one, one], device=device))
    placed(device, torch.as_tensor(one))
    placed(device, one.new_tensor([1.0]), one.new_zeros(2))
    assert torch.as_tensor(one) is one


def callables_do_not_run_on_the_device(device: torch.device) -> None:
    """`apply_` and `map_` call Python for each element and refuse device tensors.

    Source: torch/csrc/utils/tensor_apply.cpp: "apply_ is only implemented on CPU tensors".
    """
    here = torch.ones(2, device=device)
    with raises(TypeError, "apply_ is only implemented on CPU tensors"):
        here.apply_(lambda x: x)
    with raises(TypeError, "map_ is only implemented on CPU tensors"):
        here.map_(here, lambda x, y: x)


def dlpack_keeps_the_device(device: torch.device) -> None:
    """`from_dlpack` of a device tensor is a view on the device.

    Source: torch/utils/dlpack.py; DLPack: kDLCUDA is 2.
    """
    here = torch.zeros(2, device=device)
    assert tuple(here.__dlpack_device__()) == (2, device.index)
    view = torch.from_dlpack(here)
    here[0] = 1
    placed(device, view)
    same(view, [1.0, 0.0])


def a_copy_that_is_not_waited_for_is_pinned(device: torch.device) -> None:
    """``non_blocking`` to the CPU gives pinned memory; a copy that is waited for does not.

    Source: aten/src/ATen/native/TensorConversions.cpp, `_to_copy` (``pin_out``).
    """
    here = torch.arange(6.0, device=device).view(2, 3).t()
    copy = here.to("cpu", non_blocking=True)
    torch.cuda.synchronize()
    assert copy.is_pinned()
    assert copy.stride() == here.stride()
    same(copy, here)
    assert not here.cpu().is_pinned()
    assert not here.to("cpu", torch.float64).is_pinned()


def cudnn_is_there(device: torch.device) -> None:
    """`torch.backends.cudnn` is available and has a version, and its switches can be set.

    Source: torch/backends/cudnn/__init__.py, `is_available`, `version`, `flags`.
    """
    cudnn = torch.backends.cudnn
    assert cudnn.is_available()
    assert cudnn.version() > 8000
    with cudnn.flags(enabled=True, benchmark=True, deterministic=True):
        assert cudnn.benchmark
        placed(
            device, torch.nn.Conv2d(1, 1, 2, device=device)(torch.ones(1, 1, 3, 3, device=device))
        )
    assert not cudnn.benchmark
