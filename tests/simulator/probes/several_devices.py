"""Data parallelism and other work on two devices."""

from __future__ import annotations

from typing import Any

import torch
from expectations import HOST, another, mismatch, placed, pointwise_mismatch, raises, same
from torch import nn
from torch.nn import functional


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
    """A module on the CPU raises when it is called, not when it is wrapped.

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


def a_layer_on_another_device_names_what_it_meets(device: torch.device) -> None:
    """Half of a model on each device and no transfer between: every kind of layer says which
    devices meet. Convolutions compare kinds first, so here cuDNN's kernel raises.

    Source: native_functions.yaml, `addmm`, `index_select`, `cudnn_convolution`,
    `native_layer_norm` (checked); aten/src/ATen/native/RNN.cpp, `check_attributes`.
    """
    other = another(device)
    rows = torch.ones(2, 4, device=device)
    for layer, data, said in (
        (nn.Linear(4, 4), rows, mismatch("mat1", device, other, "addmm")),
        (nn.LayerNorm(4), rows, mismatch("weight", other, device, "_native_layer_norm")),
        (nn.Embedding(2, 2), rows.long(), mismatch("index", device, other, "_index_select")),
        (
            nn.Conv2d(1, 1, 1),
            rows.view(1, 1, 2, 4),
            mismatch("weight", other, device, "_cudnn_convolution"),
        ),
        (
            nn.ConvTranspose2d(1, 1, 1),
            rows.view(1, 1, 2, 4),
            mismatch("weight", other, device, "_cudnn_convolution_transpose"),
        ),
        (nn.LSTM(4, 4), rows, ("Input and parameter tensors are not at the same device",)),
    ):
        with raises(RuntimeError, *said):
            layer.to(other)(data)
        placed(other, *_tensors(layer(data.to(other))))


def _tensors(results: Any) -> list[torch.Tensor]:
    return [results] if isinstance(results, torch.Tensor) else [results[0]]


def a_convolution_adds_its_bias_where_it_is(device: torch.device) -> None:
    """A bias on another device than input and weight is an operand of an addition.

    Source: aten/src/ATen/native/Convolution.cpp, ``output.add_(reshape_bias(...))``.
    """
    other = another(device)
    image, weight = torch.ones(1, 1, 3, 3, device=device), torch.ones(1, 1, 2, 2, device=device)
    with raises(RuntimeError, pointwise_mismatch(device, other)):
        functional.conv2d(image, weight, torch.zeros(1, device=other))


def the_exemption_of_numbers_is_the_hosts(device: torch.device) -> None:
    """A tensor without dimensions may stand beside others if it is on the CPU, not on another
    device.

    Source: aten/src/ATen/TensorIterator.cpp, `compute_types`: ``is_cpu_scalar``.
    """
    other = another(device)
    here = torch.ones(2, device=device)
    with raises(RuntimeError, pointwise_mismatch(device, other)):
        here + torch.ones((), device=other)
    with raises(RuntimeError, pointwise_mismatch(other, device)):
        torch.add(here, here, out=torch.empty(2, device=other))
    same(here + torch.ones(()), [2.0, 2.0])


def hooks_bring_data_to_each_layer(device: torch.device) -> None:
    """Layers on the CPU and on two devices work together if a hook moves what goes in, as
    libraries that offload do; gradients come back to where each parameter is.

    Source: torch docs, `torch.nn.Module.register_forward_pre_hook`; aten/src/ATen/native/
    TensorConversions.cpp, `to` (differentiable between devices).
    """
    model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3), nn.Linear(3, 1))
    places = (device, HOST, another(device))

    def move(layer: nn.Module, arguments: tuple[torch.Tensor]) -> tuple[torch.Tensor]:
        return (arguments[0].to(layer.weight.device),)

    for layer, place in zip(model, places, strict=True):
        layer.to(place)
    with raises(RuntimeError, *mismatch("mat1", HOST, device, "addmm")):
        model(torch.ones(2, 3))
    for layer in model:
        layer.register_forward_pre_hook(move)
    model(torch.ones(2, 3)).sum().backward()
    for layer, place in zip(model, places, strict=True):
        placed(place, layer.weight.grad)


def weights_come_for_the_call_and_go(device: torch.device) -> None:
    """A weight that a hook brings to the device for one call and takes away again: without the hook
    the call meets the CPU.

    Source: torch docs, `torch.nn.Module.register_forward_hook`; native_functions.yaml, `addmm`.
    """
    layer, data = nn.Linear(2, 2), torch.ones(1, 2, device=device)
    before = layer.register_forward_pre_hook(lambda module, _: _hand_over(module.to(device)))
    after = layer.register_forward_hook(lambda module, _, result: _hand_over(module.to(HOST)))
    placed(device, layer(data))
    placed(HOST, layer.weight)
    before.remove()
    after.remove()
    with raises(RuntimeError, *mismatch("mat1", device, HOST, "addmm")):
        layer(data)


def _hand_over(module: nn.Module) -> None:
    """Nothing in the place of data or results."""


def lists_of_tensors_may_be_on_several_devices(device: torch.device) -> None:
    """Operations on lists take pair after pair; only a pair has to be on one device, and copies
    not even that.

    Source: aten/src/ATen/native/ForeachUtils.h, `can_use_fast_route`;
    aten/src/ATen/native/ForeachOpsKernels.cpp, ``foreach_tensor_*_slow``.
    """
    other = another(device)
    mixed = [torch.ones(2, device=device), torch.ones(2, device=other)]
    sums = torch._foreach_add(mixed, mixed)
    assert [one.device for one in sums] == [device, other]
    torch._foreach_mul_(mixed, 3.0)
    same(torch.stack([one.cpu() for one in mixed]), [[3.0, 3.0], [3.0, 3.0]])
    torch._foreach_copy_(mixed, [torch.zeros(2), torch.zeros(2, device=device)])
    same(mixed[1], [0.0, 0.0])
    assert [one.device for one in torch._foreach_norm(mixed)] == [device, other]
    with raises(RuntimeError, pointwise_mismatch(device, other)):
        torch._foreach_add(mixed[:1], mixed[1:])
    with raises(RuntimeError, pointwise_mismatch(device)):
        torch._foreach_add(mixed[:1], [torch.ones(2)])


def an_optimizer_over_several_devices(device: torch.device) -> None:
    """Optimizers and the clipping of gradients take parameters of several devices and of the CPU.

    Source: torch/optim/optimizer.py, `_group_tensors_by_device_and_dtype`;
    torch/nn/utils/clip_grad.py, `_get_total_norm` (moves norms to the first device).
    """
    layers = [nn.Linear(2, 2).to(place) for place in (device, another(device), HOST)]
    parameters = [parameter for layer in layers for parameter in layer.parameters()]
    for make in (torch.optim.AdamW, torch.optim.SGD):
        optimizer = make(parameters, lr=0.1)
        data = torch.ones(1, 2)
        for layer in layers:
            data = layer(data.to(layer.weight.device))
        data.sum().backward()
        placed(device, nn.utils.clip_grad_norm_(parameters, 1.0))
        before = [parameter.detach().cpu().clone() for parameter in parameters]
        optimizer.step()
        after = [parameter.detach().cpu() for parameter in parameters]
        assert not any(map(torch.equal, before, after))
