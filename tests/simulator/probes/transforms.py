"""Functional transforms, scripting and compilation with device tensors."""

from __future__ import annotations

import torch
from expectations import placed, pointwise_mismatch, raises, same
from torch import nn


def vmap_runs_on_the_device(device: torch.device) -> None:
    """`torch.func.vmap` of a product gives a batch on the device; mixing raises inside.

    Source: torch docs, `torch.func.vmap`; test/functorch/test_vmap.py.
    """
    batch, row = torch.arange(4.0, device=device).view(2, 2), torch.ones(2, device=device)
    result = torch.func.vmap(lambda x: (x * row).sum())(batch)
    placed(device, result)
    same(result, [1.0, 5.0])
    with raises(RuntimeError, pointwise_mismatch(device)):
        torch.func.vmap(lambda x: x * torch.ones(2))(batch)


def gradients_of_functions(device: torch.device) -> None:
    """`torch.func.grad`, `jacrev` and `functional_call` stay on the device.

    Source: torch docs, `torch.func`; test/functorch/test_eager_transforms.py.
    """
    here = torch.tensor([1.0, 2.0], device=device)
    slope = torch.func.grad(lambda x: (x**2).sum())(here)
    placed(device, slope)
    same(slope, [2.0, 4.0])
    same(torch.func.jacrev(lambda x: x * 3)(here), [[3.0, 0.0], [0.0, 3.0]])
    layer = nn.Linear(2, 1).to(device)
    placed(device, torch.func.functional_call(layer, dict(layer.named_parameters()), (here,)))


def forward_derivatives_on_the_device(device: torch.device) -> None:
    """`torch.func.jvp` gives value and derivative on the device.

    Source: torch docs, `torch.func.jvp`.
    """
    here = torch.tensor([1.0, 2.0], device=device)
    value, slope = torch.func.jvp(lambda x: x**2, (here,), (torch.ones_like(here),))
    placed(device, value, slope)
    same(slope, [2.0, 4.0])


@torch.jit.script
def _scripted(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    if x.is_cuda:
        x = x * 2
    return x + torch.ones(2, device=x.device) + y


def scripts_run_on_the_device(device: torch.device) -> None:
    """A scripted function sees `is_cuda` and `device`; two devices raise what eager raises.

    Source: torch docs, TorchScript; torch/csrc/jit/runtime/interpreter.cpp wraps the message.
    """
    here = torch.ones(2, device=device)
    for _ in range(3):
        result = _scripted(here, here)
    placed(device, result)
    same(result, [4.0, 4.0])
    with raises(RuntimeError, pointwise_mismatch(device)):
        _scripted(here, torch.ones(2))


def scripted_modules_move(device: torch.device) -> None:
    """A scripted module moves with ``to`` and is called on the device.

    Source: torch/jit/_script.py, `RecursiveScriptModule`.
    """
    module = torch.jit.script(nn.Sequential(nn.Linear(2, 2), nn.ReLU())).to(device)
    placed(device, module(torch.ones(1, 2, device=device)), next(module.parameters()))


def a_trace_keeps_the_device_of_its_constants(device: torch.device) -> None:
    """A function traced on the CPU holds ``device="cpu"`` for what it makes: on the device it
    raises.

    Source: torch docs, "Tracing vs scripting" ("device" is recorded as a constant).
    """
    here = torch.ones(2, device=device)
    traced = torch.jit.trace(lambda x: x * 2, (torch.ones(2),))
    placed(device, traced(here))
    made = torch.jit.trace(lambda x: x + torch.ones(2, device=x.device), (torch.ones(2),))
    with raises(RuntimeError, pointwise_mismatch(device)):
        made(here)
    placed(device, torch.jit.trace(lambda x: x + torch.ones_like(x), (here,))(here))


def compiled_functions_run_on_the_device(device: torch.device) -> None:
    """`torch.compile` with the backends "eager" and "aot_eager" gives what eager gives, on the
    device, forward and backward.

    Source: torch docs, `torch.compile`, ``backend``; test/dynamo/test_backends.py.
    """
    here = torch.tensor([1.0, 2.0], device=device)
    for backend in ("eager", "aot_eager"):
        torch.compiler.reset()
        leaf = here.clone().requires_grad_()
        compiled = torch.compile(lambda x: (x * 2 + x.sum()).sin(), backend=backend)
        result = compiled(leaf)
        placed(device, result)
        same(result, (here * 2 + here.sum()).sin(), tolerance=1e-4)
        result.sum().backward()
        placed(device, leaf.grad)


def compiled_modules_run_on_the_device(device: torch.device) -> None:
    """A compiled module on the device uses its parameters there.

    Source: torch docs, `torch.compile`; torch/_dynamo/eval_frame.py, `OptimizedModule`.
    """
    torch.compiler.reset()
    layer = nn.Linear(2, 2).to(device)
    batch = torch.ones(1, 2, device=device)
    compiled = torch.compile(layer, backend="aot_eager")
    placed(device, compiled(batch))
    same(compiled(batch), layer(batch), tolerance=1e-3)
    compiled(batch).sum().backward()
    placed(device, layer.weight.grad)


def fake_tensors_know_the_device(device: torch.device) -> None:
    """Under `FakeTensorMode` device tensors have no values and say where they would be; two
    devices raise (with its own message up to about 2.12, with eager's later).

    Source: torch/_subclasses/fake_tensor.py, `FakeTensor._find_common_device`.
    """
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode() as mode:
        fake = mode.from_tensor(torch.ones(2, device=device))
        placed(device, fake * 2, torch.ones(2, device=device))
        old = f"for aten.add.Tensor, found two different devices {device}, cpu"
        said = (f"Unhandled FakeTensor Device Propagation {old}", pointwise_mismatch(device))
        with raises(RuntimeError, *said):
            fake + torch.ones(2)


def meta_tensors_stay_apart(device: torch.device) -> None:
    """Meta tensors do not go to the device by ``to``, and do not mix with device tensors.

    Source: aten/src/ATen/native/Copy.cpp / torch/_meta_registrations: "Cannot copy out of meta
    tensor; no data!".
    """
    with raises(NotImplementedError, "Cannot copy out of meta tensor; no data!"):
        torch.ones(2, device="meta").to(device)


def a_script_tells_the_error_of_the_kernel(device: torch.device) -> None:
    """A scripted or traced function raises with the interpreter's own traceback, and the text of
    the kernel's error stands below it.

    Source: torch/csrc/jit/runtime/interpreter.cpp, `handleError`; torch/csrc/jit/frontend/
    error_report.cpp.
    """
    scripted = torch.jit.script(_sum_of_two)
    traced = torch.jit.trace(_sum_of_two, (torch.ones(2), torch.ones(2)))
    here, there = torch.ones(2, device=device), torch.ones(2)
    for function in (scripted, traced):
        same(function(here, here), [2.0, 2.0])
        with raises(RuntimeError, f"\nRuntimeError: {pointwise_mismatch(device)}\n"):
            function(here, there)


def _sum_of_two(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    return left + right
