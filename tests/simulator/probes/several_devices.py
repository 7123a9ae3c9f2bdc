"""Data parallelism and other work on two devices."""

from __future__ import annotations

import torch
from expectations import HOST, another, mismatch, placed, raises, same
from torch import nn


def data_parallel_scatters_and_gathers(device: torch.device) -> None:
    """`DataParallel` splits a batch over the devices and puts outputs together on the first.

    Source: torch/nn/parallel/data_parallel.py; test/distributed/test_data_parallel.py.
    """
    another(device)
    seen: list[torch.device] = []

    class Seen(nn.Linear):
        def forward(self, batch: torch.Tensor) -> torch.Tensor:
            seen.append(batch.device)
            assert self.weight.device == batch.device
            return super().forward(batch)

    layer = Seen(2, 1).to(device)
    batch = torch.arange(8.0).view(4, 2)
    output = nn.DataParallel(layer, [0, 1])(batch)
    placed(device, output)
    assert sorted(map(str, seen)) == ["cuda:0", "cuda:1"]
    same(output, nn.functional.linear(batch, layer.weight.cpu(), layer.bias.cpu()), 1e-3)


def data_parallel_sums_gradients(device: torch.device) -> None:
    """Gradients of the replicas are added up in the module on the first device.

    Source: torch/nn/parallel/_functions.py, `Broadcast.backward`.
    """
    another(device)
    layer = nn.Linear(2, 1).to(device)
    nn.DataParallel(layer)(torch.ones(4, 2, device=device)).sum().backward()
    assert layer.weight.grad is not None
    placed(device, layer.weight.grad)
    same(layer.weight.grad, [[4.0, 4.0]])


def data_parallel_wants_its_module_on_the_first_device(device: torch.device) -> None:
    """A module on the host raises when it is called, not when it is wrapped.

    Source: torch/nn/parallel/data_parallel.py, `forward`: "module must have its parameters and
    buffers on device".
    """
    another(device)
    parallel = nn.DataParallel(nn.Linear(2, 1))
    with raises(
        RuntimeError,
        f"module must have its parameters and buffers on device {device} (device_ids[0]) but "
        "found one of them on device: cpu",
    ):
        parallel(torch.ones(4, 2))


def data_parallel_on_one_device_is_a_call(device: torch.device) -> None:
    """With one device the module is called on the batch, which is brought there; its state dict
    has the prefix ``module.``.

    Source: torch/nn/parallel/data_parallel.py, `forward` (``scatter`` of one device).
    """
    layer = nn.Linear(2, 1).to(device)
    parallel = nn.DataParallel(layer, device_ids=[device.index])
    placed(device, parallel(torch.ones(4, 2)))
    assert set(parallel.state_dict()) == {"module.weight", "module.bias"}


def layers_on_two_devices(device: torch.device) -> None:
    """A model with a half on each device works if its activations are moved, and raises if not.

    Source: torch docs, "Model parallel best practices"; native_functions.yaml, `addmm`.
    """
    other = another(device)
    first, second = nn.Linear(2, 2).to(device), nn.Linear(2, 1).to(other)
    hidden = first(torch.ones(1, 2, device=device))
    with raises(RuntimeError, *mismatch("mat1", device, other, "addmm")):
        second(hidden)
    second(hidden.to(other)).sum().backward()
    placed(device, first.weight.grad)
    placed(other, second.weight.grad)


def batches_are_scattered_and_gathered(device: torch.device) -> None:
    """`scatter`, `gather` and `broadcast` of ``nn.parallel`` carry tensors between devices.

    Source: torch/nn/parallel/comm.py, scatter_gather.py.
    """
    other = another(device)
    pieces = nn.parallel.scatter({"x": torch.arange(4.0)}, [0, 1])
    assert [piece["x"].device for piece in pieces] == [device, other]
    whole = nn.parallel.gather([piece["x"] for piece in pieces], 0)
    placed(device, whole)
    same(whole, [0.0, 1.0, 2.0, 3.0])
    first, second = nn.parallel.comm.broadcast(torch.ones(1, device=device), [0, 1])
    placed(device, first)
    placed(other, second)


def parts_of_a_list_do_not_mix(device: torch.device) -> None:
    """`cat` of tensors of two devices names the list.

    Source: native_functions.yaml, `cat` (checked).
    """
    other = another(device)
    here, there = torch.ones(1, device=device), torch.ones(1, device=other)
    with raises(RuntimeError, *mismatch("tensors", other, device, "cat")):
        torch.cat([here, there])
    placed(HOST, torch.cat([here.cpu(), there.cpu()]))
