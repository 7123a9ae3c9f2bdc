"""Types that name a device: ``torch.cuda.FloatTensor`` and what goes with it."""

from __future__ import annotations

import torch
from expectations import HOST, placed, raises, same


def a_type_names_the_device(device: torch.device) -> None:
    """``x.type()`` is ``torch.cuda.FloatTensor`` on the device, by dtype.

    Source: torch/csrc/utils/tensor_types.cpp, `type_to_string`; torch docs, `Tensor.type`.
    """
    assert torch.ones(1, device=device).type() == "torch.cuda.FloatTensor"
    assert torch.ones(1, dtype=torch.int64, device=device).type() == "torch.cuda.LongTensor"
    assert torch.ones(1, dtype=torch.bool, device=device).type() == "torch.cuda.BoolTensor"
    assert torch.ones(1).type() == "torch.FloatTensor"


def instances_know_their_type(device: torch.device) -> None:
    """``isinstance`` with a legacy type looks at device and dtype.

    Source: torch/csrc/tensor/python_tensor.cpp, `Tensor_instancecheck`.
    """
    here, there = torch.ones(1, device=device), torch.ones(1)
    assert isinstance(here, torch.cuda.FloatTensor)
    assert not isinstance(here, torch.cuda.LongTensor)
    assert not isinstance(here, torch.FloatTensor)
    assert not isinstance(there, torch.cuda.FloatTensor)
    assert isinstance(there, torch.FloatTensor)
    assert isinstance(here, torch.Tensor)


def constructors_make_device_tensors(device: torch.device) -> None:
    """``torch.cuda.FloatTensor`` takes sizes or data and makes a tensor on the device.

    Source: torch/csrc/utils/tensor_new.cpp, `legacy_tensor_generic_ctor_new`.
    """
    made = torch.cuda.FloatTensor([1.0, 2.0])
    placed(device, made, torch.cuda.FloatTensor(2, 3), torch.cuda.LongTensor([[1, 2]]))
    same(made, [1.0, 2.0])
    assert torch.cuda.FloatTensor(2, 3).shape == (2, 3)
    assert torch.cuda.LongTensor([1]).dtype is torch.int64
    assert torch.cuda.FloatTensor().numel() == 0
    placed(device, torch.cuda.ByteTensor(2), torch.cuda.HalfTensor(1), torch.cuda.BoolTensor(1))


def a_type_can_be_changed(device: torch.device) -> None:
    """``x.type(T)`` moves and casts, by the class or its name; the own type gives ``x`` itself.

    Source: torch/csrc/autograd/python_variable_methods.cpp, `THPVariable_type`.
    """
    here, there = torch.ones(2, device=device), torch.ones(2)
    placed(device, there.type(torch.cuda.FloatTensor), there.type("torch.cuda.DoubleTensor"))
    placed(HOST, here.type(torch.FloatTensor), here.type("torch.LongTensor"))
    assert there.type("torch.cuda.DoubleTensor").dtype is torch.float64
    assert here.type(torch.cuda.FloatTensor) is here
    placed(device, here.type(torch.float64))
    placed(device, there.type(here.type()))


def new_tensors_go_where_the_old_one_is(device: torch.device) -> None:
    """``x.new(...)``, `new_zeros`, `new_tensor`, `new_full` follow ``x``.

    Source: torch/csrc/utils/tensor_new.cpp, `legacy_tensor_new`; torch docs, `Tensor.new_tensor`.
    """
    here = torch.ones(2, dtype=torch.float64, device=device)
    for made in (here.new(3), here.new([1, 2]), here.new_zeros(2), here.new_full((1,), 5)):
        placed(device, made)
        assert made.dtype is torch.float64
    placed(device, here.new_tensor([1.0]), here.new_empty(0), here.new())
    placed(HOST, here.new_ones(1, device="cpu"))


def a_constructor_does_not_move(device: torch.device) -> None:
    """``torch.cuda.FloatTensor(host)`` and ``torch.FloatTensor(device)`` raise TypeError instead
    of moving.

    Source: torch/csrc/utils/tensor_new.cpp, `legacy_tensor_generic_ctor_new`: "expected ... (got".
    """
    with raises(TypeError, "expected"):
        torch.cuda.FloatTensor(torch.ones(2))
    with raises(TypeError, "expected"):
        torch.FloatTensor(torch.ones(2, device=device))


def a_constructor_takes_no_other_device(device: torch.device) -> None:
    """``torch.FloatTensor(..., device="cuda")`` raises: the type fixes the device.

    Source: torch/csrc/utils/tensor_new.cpp, `check_legacy_ctor_device`.
    """
    with raises(
        RuntimeError,
        "legacy constructor expects device type: cpu but device type: cuda was passed",
    ):
        torch.FloatTensor([1.0], device=device)


def tensor_without_a_type_is_on_the_host(device: torch.device) -> None:
    """``torch.Tensor(2)`` is made on the CPU however many device tensors there are; with
    ``device=`` on the device it raises.

    Source: torch/csrc/utils/tensor_new.cpp, `base_tensor_ctor` (the default tensor type).
    """
    placed(HOST, torch.Tensor(2), torch.Tensor([1.0]))
    with raises(
        RuntimeError,
        "legacy constructor expects device type: cpu but device type: cuda was passed",
    ):
        torch.Tensor(2, device=device)


def casts_keep_the_device(device: torch.device) -> None:
    """`float`, `half`, `long`, `bool`, `to` with a dtype.

    Source: torch docs, `Tensor.float`: ``self.to(torch.float32)``.
    """
    here = torch.ones(2, device=device)
    placed(device, here.half(), here.long(), here.bool(), here.to(torch.float64), here.bfloat16())
    assert here.float() is here


def storages_know_their_device(device: torch.device) -> None:
    """Storages of device tensors say so and move with ``cpu`` and ``cuda``.

    Source: torch/storage.py, `UntypedStorage.device`, `_StorageBase.cpu`, `.cuda`.
    """
    here = torch.arange(4.0, device=device)
    storage = here.untyped_storage()
    assert storage.device == device
    assert storage.nbytes() == 16
    assert storage.is_cuda
    assert storage.cpu().device == HOST
    assert torch.ones(1).untyped_storage().cuda().device == device
    assert here[2:].untyped_storage().data_ptr() == storage.data_ptr()


def typed_storages_read_the_device(device: torch.device) -> None:
    """``x.storage()`` names dtype and device, and gives numbers.

    Source: torch/storage.py, `TypedStorage`; test/test_torch.py, storage tests.
    """
    storage = torch.arange(3.0, device=device).storage()
    assert storage.device == device
    assert storage.tolist() == [0.0, 1.0, 2.0]
    assert storage[2] == 2.0
    assert storage.type() == "torch.cuda.FloatStorage"


def a_storage_is_not_set_across_devices(device: torch.device) -> None:
    """``host.set_(storage of the device)`` raises.

    Source: aten/src/ATen/native/Resize.h, `checkSetStorage`: "Attempted to set the storage of a
    tensor on device".
    """
    with raises(
        RuntimeError,
        f'Attempted to set the storage of a tensor on device "cpu" to a storage on different '
        f'device "{device}"',
    ):
        torch.ones(2).set_(torch.ones(2, device=device).untyped_storage())
    here = torch.empty(0, device=device)
    here.set_(torch.arange(4.0, device=device).untyped_storage(), 1, (2,), (1,))
    same(here, [1.0, 2.0])
