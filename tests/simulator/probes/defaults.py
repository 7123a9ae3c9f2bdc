"""Where tensors are made by default; every probe puts the default back."""

from __future__ import annotations

import torch
from expectations import HOST, afresh, placed, raises, same
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def a_device_as_context(device: torch.device) -> None:
    """Under ``with torch.device("cuda")`` factories and modules are made there, transfers are
    not redirected.

    Source: torch docs, `torch.device` as context manager; torch/utils/_device.py, `DeviceContext`.
    """
    there = torch.ones(1)
    with torch.device("cuda"):
        placed(device, torch.ones(2), torch.tensor([1]), torch.randn(2), nn.Linear(2, 2).weight)
        placed(HOST, there, there.clone(), torch.ones(1, device="cpu"), torch.zeros_like(there))
    placed(HOST, torch.ones(2))


def a_default_device(device: torch.device) -> None:
    """`set_default_device` does so for the rest of the program, or until it is set to None.

    Source: torch docs, `torch.set_default_device`, `torch.get_default_device`.
    """
    torch.set_default_device("cuda")
    try:
        placed(device, torch.ones(2), torch.arange(3), torch.eye(2), nn.Linear(1, 1).weight)
        placed(device, torch.as_tensor([1.0]), torch.linspace(0, 1, 2), torch.randperm(3))
        assert torch.get_default_device() == device
        with torch.device("cpu"):
            placed(HOST, torch.ones(1))
    finally:
        torch.set_default_device(None)
    placed(HOST, torch.ones(2))


def from_numpy_has_no_default_device(device: torch.device) -> None:
    """Under a default device `from_numpy` still gives CPU tensors.

    Source: torch/utils/_device.py, `_device_constructors` (``from_numpy`` is not among them).
    """
    numpy = __import__("numpy")
    with torch.device("cuda"):
        placed(HOST, torch.from_numpy(numpy.zeros(2)))
        placed(device, torch.tensor(numpy.zeros(2)), torch.as_tensor(numpy.zeros(2)))


def a_shuffling_loader_under_a_default_device(device: torch.device) -> None:
    """``DataLoader(shuffle=True)`` under a default device raises: its sampler has a generator on
    the CPU. A generator on the device helps.

    Source: torch/utils/data/sampler.py, `RandomSampler.__iter__`; aten/src/ATen/core/Generator.h.
    """
    data = TensorDataset(torch.arange(4.0, device="cpu"))
    with torch.device("cuda"):
        with raises(RuntimeError, "Expected a 'cuda' device type for generator but found 'cpu'"):
            list(DataLoader(data, shuffle=True))
        generator = torch.Generator(device="cuda")
        assert len(list(DataLoader(data, shuffle=True, generator=generator))) == 4


def a_default_tensor_type(device: torch.device) -> None:
    """`set_default_tensor_type` with a type of the device makes factories go there, Python data
    and ``torch.Tensor`` included.

    Source: torch docs, `torch.set_default_tensor_type` (deprecated since 2.1);
    torch/csrc/tensor/python_tensor.cpp, `py_set_default_tensor_type`.
    """
    torch.set_default_tensor_type(torch.cuda.FloatTensor)
    try:
        placed(device, torch.ones(2), torch.tensor([1.0]), torch.Tensor(2), torch.randn(1))
        placed(device, nn.Linear(2, 2).weight)
        placed(HOST, torch.ones(1, device="cpu"))
    finally:
        torch.set_default_tensor_type(torch.FloatTensor)
    placed(HOST, torch.ones(2), torch.Tensor(2))


def a_default_tensor_type_by_name(device: torch.device) -> None:
    """The name of the type does the same, and sets the dtype.

    Source: torch/csrc/tensor/python_tensor.cpp, `py_set_default_tensor_type`.
    """
    torch.set_default_tensor_type("torch.cuda.DoubleTensor")
    try:
        made = torch.ones(2)
        placed(device, made)
        assert made.dtype is torch.float64
    finally:
        torch.set_default_tensor_type("torch.FloatTensor")
    assert torch.ones(1).dtype is torch.float32


def an_optimizer_under_a_default_tensor_type(device: torch.device) -> None:
    """Optimizers, which import torch's compiler, work under a default tensor type of the device.

    Source: torch/optim/optimizer.py, `_disable_dynamo_if_unsupported`; torch/_dynamo/polyfills/
    tensor.py replaces ``torch.Tensor.__new__``.
    """
    program = """
import torch, warnings
torch.set_default_tensor_type("torch.cuda.FloatTensor")
layer = torch.nn.Linear(2, 1)
optimizer = torch.optim.Adam(layer.parameters())
layer(torch.ones(3, 2)).sum().backward()
optimizer.step()
print(layer.weight.device.type, torch.Tensor([1.0]).device.type)
"""
    assert afresh(program) == "cuda cuda"


def a_default_device_belongs_to_its_thread(device: torch.device) -> None:
    """A thread started under a default device makes its tensors on the CPU.

    Source: torch/utils/_device.py: the default is a mode, and modes belong to a thread.
    """
    import threading

    seen: list[torch.device] = []
    torch.set_default_device("cuda")
    try:
        thread = threading.Thread(target=lambda: seen.append(torch.ones(1).device))
        thread.start()
        thread.join()
        placed(device, torch.ones(1))
    finally:
        torch.set_default_device(None)
    assert seen == [HOST]


def a_default_device_meets_host_indices(device: torch.device) -> None:
    """What the code below a default device makes meets CPU tensors and raises, or works where
    indices may be elsewhere.

    Source: aten/src/ATen/native/TensorAdvancedIndexing.cpp, `check_indices_on_cpu_or_selfdevice`.
    """
    there = torch.arange(3.0)
    with torch.device("cuda"):
        with raises(RuntimeError, "indices should be either on cpu or on the same device as the"):
            there[torch.tensor([0, 1])]
        same(torch.ones(3)[torch.tensor([0], device="cpu")], [1.0])
