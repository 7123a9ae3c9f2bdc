"""Gradients: on which device they are, and how transfers affect them."""

from __future__ import annotations

from typing import Any

import torch
from expectations import HOST, another, placed, pointwise_mismatch, raises, same
from torch import nn


def a_gradient_lives_with_its_leaf(device: torch.device) -> None:
    """Backward through a transfer gives a CPU leaf a CPU gradient, and the device copy none.

    Source: derivatives.yaml, `_to_copy`; aten/src/ATen/native/TensorConversions.cpp,
    `_to_copy_backward`.
    """
    leaf = torch.ones(2, requires_grad=True)
    moved = leaf.to(device)
    (moved * torch.tensor([2.0, 3.0], device=device)).sum().backward()
    assert leaf.grad is not None
    placed(HOST, leaf.grad)
    same(leaf.grad, [2.0, 3.0])
    assert not moved.is_leaf


def a_device_leaf_gets_a_device_gradient(device: torch.device) -> None:
    """A leaf on the device accumulates on the device, also if the loss ends on the CPU.

    Source: torch/csrc/autograd/functions/accumulate_grad.h.
    """
    leaf = torch.ones(2, device=device, requires_grad=True)
    for _ in range(2):
        (leaf * 3).cpu().sum().backward()
    assert leaf.grad is not None
    placed(device, leaf.grad)
    same(leaf.grad, [6.0, 6.0])


def a_moved_leaf_is_none(device: torch.device) -> None:
    """``torch.ones(2, requires_grad=True).to(device)`` is no leaf and keeps no gradient;
    `requires_grad_` behind the transfer makes one.

    Source: torch docs, `Tensor.is_leaf` (its examples use ``.cuda()``).
    """
    assert not torch.ones(2, requires_grad=True).to(device).is_leaf
    assert torch.ones(2).to(device).requires_grad_().is_leaf
    assert torch.ones(2, device=device, requires_grad=True).is_leaf


def a_gradient_is_assigned_on_the_same_device(device: torch.device) -> None:
    """``x.grad = y`` raises if ``y`` is on another type of device.

    Source: torch/csrc/autograd/python_variable.cpp, `THPVariable_set_grad`.
    """
    leaf = torch.ones(2, device=device, requires_grad=True)
    with raises(
        RuntimeError,
        "attempting to assign a gradient with device type 'cpu' to a tensor with device type "
        "'cuda'. Please ensure that the gradient and the tensor are on the same device",
    ):
        leaf.grad = torch.ones(2)
    leaf.grad = torch.ones(2, device=device)
    placed(device, leaf.grad)


def a_gradient_is_assigned_on_the_same_index(device: torch.device) -> None:
    """``x.grad = y`` raises if ``y`` is on another device of the same type. (The message prints
    the index as a character: a 1 comes out as ``\\x01``.)

    Source: torch/csrc/autograd/python_variable.cpp, `THPVariable_set_grad`: "located on device
    with index".
    """
    leaf = torch.ones(2, device=device, requires_grad=True)
    other = another(device)
    with raises(RuntimeError, "attempting to assign a gradient located on device with index '"):
        leaf.grad = torch.ones(2, device=other)


def a_start_on_the_wrong_device_is_refused(device: torch.device) -> None:
    """``y.backward(gradient)`` with a CPU gradient for a device tensor raises.

    Source: torch/csrc/autograd/engine.cpp, `validate_outputs`: "invalid gradient at index 0 -
    expected device".
    """
    result = torch.ones(2, device=device, requires_grad=True) * 2
    with raises(
        RuntimeError, f"invalid gradient at index 0 - expected device {device} but got cpu"
    ):
        result.backward(torch.ones(2))


def gradients_are_asked_for_without_leaves(device: torch.device) -> None:
    """`torch.autograd.grad` across a transfer, twice, with ``create_graph``.

    Source: torch docs, `torch.autograd.grad`.
    """
    leaf = torch.tensor(3.0, requires_grad=True)
    here = leaf.to(device)
    (first,) = torch.autograd.grad(here**3, leaf, create_graph=True)
    placed(HOST, first)
    (second,) = torch.autograd.grad(first, leaf)
    assert (first.item(), second.item()) == (27.0, 18.0)


def functions_of_our_own_see_the_device(device: torch.device) -> None:
    """`torch.autograd.Function` gets device tensors forward and backward, and what it saved.

    Source: torch docs, "Extending PyTorch"; the engine runs backward on a thread of the device.
    """
    seen: list[torch.device] = []

    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(x)
            seen.append(x.device)
            return x * 2

        @staticmethod
        def backward(ctx: Any, *gradients: torch.Tensor) -> torch.Tensor:
            (x,) = ctx.saved_tensors
            seen.extend([gradients[0].device, x.device])
            return gradients[0] * 2

    leaf = torch.ones(2, device=device, requires_grad=True)
    Twice.apply(leaf).sum().backward()
    assert seen == [device] * 3
    same(leaf.grad, [2.0, 2.0])


def a_backward_on_the_wrong_device_is_refused(device: torch.device) -> None:
    """A `Function` whose backward gives a CPU gradient for a device input raises.

    Source: torch/csrc/autograd/engine.cpp, `validate_outputs`.
    """

    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: Any, *gradients: torch.Tensor) -> torch.Tensor:
            return gradients[0].cpu()

    leaf = torch.ones(2, device=device, requires_grad=True)
    said = f"returned an invalid gradient at index 0 - expected device {device} but got cpu"
    with raises(RuntimeError, said):
        Wrong.apply(leaf).sum().backward()


def an_error_in_backward_reaches_the_caller(device: torch.device) -> None:
    """What a hook raises on the device's thread comes out of `backward` as it is.

    Source: torch/csrc/autograd/engine.cpp, `thread_on_exception`.
    """

    def stop(gradient: torch.Tensor) -> None:
        raise KeyError("stop")

    leaf = torch.ones(2, device=device, requires_grad=True)
    doubled = leaf * 2
    doubled.register_hook(stop)
    with raises(KeyError, "stop"):
        doubled.sum().backward()
    (leaf * 2).sum().backward()
    same(leaf.grad, [2.0, 2.0])


def a_mismatch_in_backward_reaches_the_caller(device: torch.device) -> None:
    """Two devices in a tensor hook raise the same error as in forward.

    Source: aten/src/ATen/TensorIterator.cpp, `compute_types`.
    """
    leaf = torch.ones(2, device=device, requires_grad=True)
    leaf.register_hook(lambda gradient: gradient * torch.ones(2))
    with raises(RuntimeError, pointwise_mismatch(device)):
        (leaf * 2).sum().backward()


def hooks_see_device_tensors(device: torch.device) -> None:
    """Forward, backward and tensor hooks of a module on the device get device tensors.

    Source: torch/nn/modules/module.py, `register_forward_hook`, `register_full_backward_hook`.
    """
    seen: list[torch.device] = []
    layer = nn.Linear(2, 2).to(device)
    layer.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0].device))
    layer.register_forward_hook(lambda _, inputs, output: seen.append(output.device))
    layer.register_full_backward_hook(lambda _, inputs, outputs: seen.append(outputs[0].device))
    layer.weight.register_hook(lambda gradient: seen.append(gradient.device))
    layer(torch.ones(1, 2, device=device, requires_grad=True)).sum().backward()
    assert seen == [device] * 4


def data_can_be_replaced_across_devices(device: torch.device) -> None:
    """``p.data = p.data.to(device)`` moves a parameter in place; so does the gradient with it,
    once it is moved by hand.

    Source: torch/csrc/autograd/variable.cpp, `VariableHooks::set_data`; torch/nn/modules/module.py,
    `_apply`.
    """
    parameter = nn.Parameter(torch.ones(2))
    (parameter * 2).sum().backward()
    parameter.data = parameter.data.to(device)
    placed(device, parameter)
    parameter.grad = None
    (parameter * 2).sum().backward()
    placed(device, parameter.grad)
    assert parameter.is_leaf


def clipping_works_on_the_device(device: torch.device) -> None:
    """`clip_grad_norm_` gives the norm on the device and scales gradients in place.

    Source: torch/nn/utils/clip_grad.py, `_get_total_norm`.
    """
    layer = nn.Linear(2, 1, bias=False).to(device)
    (layer(torch.tensor([[3.0, 4.0]], device=device)).sum()).backward()
    norm = nn.utils.clip_grad_norm_(layer.parameters(), 1.0)
    placed(device, norm)
    assert abs(norm.item() - 5) < 1e-3
    same(layer.weight.grad, [[0.6, 0.8]], tolerance=1e-3)


def views_share_memory_and_gradients(device: torch.device) -> None:
    """Views of a device tensor are on the device, share its memory, and pass gradients.

    Source: torch docs, "Tensor Views".
    """
    base = torch.zeros(2, 3, device=device)
    base.view(6)[5] = 1
    base.t()[0, 1] = 2
    base.as_strided((2,), (1,), 1).add_(3)
    same(base, [[0.0, 3.0, 3.0], [2.0, 0.0, 1.0]])
    assert base[1]._base is base
    assert base[1].data_ptr() == base.data_ptr() + 12
    leaf = torch.ones(4, device=device, requires_grad=True)
    leaf[1:3].mul(2).sum().backward()
    same(leaf.grad, [0.0, 2.0, 2.0, 0.0])


def resizing_keeps_the_device(device: torch.device) -> None:
    """`resize_` grows and shrinks device memory in place and keeps what was there.

    Source: aten/src/ATen/native/cuda/Resize.cpp, `resize_cuda_`.
    """
    here = torch.arange(3.0, device=device)
    here.resize_(5)
    placed(device, here)
    assert here.shape == (5,)
    same(here[:3], [0.0, 1.0, 2.0])
    here.resize_(2)
    same(here, [0.0, 1.0])


def writing_to_a_needed_value_is_noticed(device: torch.device) -> None:
    """In-place changes of device tensors count versions as on the CPU.

    Source: torch/csrc/autograd/saved_variable.cpp: "has been modified by an inplace operation".
    """
    leaf = torch.ones(2, device=device, requires_grad=True)
    squared = leaf * leaf
    result = squared * squared
    squared.add_(1)
    with raises(RuntimeError, "has been modified by an inplace operation"):
        result.sum().backward()
