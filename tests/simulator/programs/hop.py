"""What must hold of the way from an operation on the device to the CPU's kernel, one check each.

Run without arguments; one line of JSON for each check. `tests/simulator/test_kernel_hop.py` reads
them.
"""

from __future__ import annotations

import gc
import json
import sys
import threading
import traceback
import warnings
from typing import Any

import pytest
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode


def device_tensor(*shape: int) -> torch.Tensor:
    return torch.randn(*shape).to("cuda")


def threads_share_a_parameter() -> None:
    parameter, failed = device_tensor(16, 16).requires_grad_(), []

    def work(number: int) -> None:
        for _ in range(100):
            rows = torch.full((4, 16), float(number), device="cuda:1")
            result = rows.to("cuda:0") @ parameter
            if (rows.device.index, result.device.index, float(rows[0, 0])) != (1, 0, number):
                failed.append(number)

    workers = [threading.Thread(target=work, args=(number,)) for number in range(5)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not failed
    assert parameter.device == torch.device("cuda", 0)


def inference_tensors_stay_inference_tensors() -> None:
    with torch.inference_mode():
        x = device_tensor(3)
        made = [x * 2, x.clone(), x.double(), torch.zeros_like(x), x[1:]]
        assert all(tensor.is_inference() and tensor.is_cuda for tensor in made)


def transforms_nest() -> None:
    x = device_tensor(2, 3)
    each = torch.func.vmap(torch.func.grad(lambda row: row.square().sum()))(x)
    assert torch.equal(each.cpu(), 2 * x.cpu())
    assert torch.func.hessian(lambda row: row.pow(3).sum())(x[0]).is_cuda
    _, slope = torch.func.jvp(torch.sin, (x,), (torch.ones_like(x),))
    assert torch.equal(slope.cpu(), x.cpu().cos())


def an_exception_in_backward_passes_through() -> None:
    class Fails(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            inner = grad.detach().requires_grad_()
            with torch.enable_grad():
                (inner @ inner).backward()
            raise ValueError(f"{inner.grad is not None}")

    with pytest.raises(ValueError, match="True"):
        Fails.apply(device_tensor(3).requires_grad_()).sum().backward()
    assert (device_tensor(2) + 1).is_cuda


def a_subclass_is_asked_once() -> None:
    asked = []

    class Asks(torch.Tensor):
        @classmethod
        def __torch_function__(
            cls, function: Any, types: Any, arguments: Any = (), keywords: Any = None
        ) -> Any:
            asked.append(function.__name__)
            return super().__torch_function__(function, types, arguments, keywords or {})

    x = device_tensor(3).as_subclass(Asks)
    assert type(x + x) is Asks
    x.clone()
    assert asked == ["add", "clone"]


def a_mode_sees_each_call_once() -> None:
    seen = []

    class Sees(TorchFunctionMode):
        def __torch_function__(
            self, function: Any, types: Any, arguments: Any = (), keywords: Any = None
        ) -> Any:
            seen.append(function.__name__)
            return function(*arguments, **keywords or {})

    x, y = device_tensor(3), device_tensor(5)
    with Sees():
        torch.add(x, 1)
        torch.zeros_like(x)
        torch.add(y, 1, out=torch.Tensor.resize_(x, (5,)))
    assert seen == ["add", "zeros_like", "resize_", "add"]


def a_dispatch_mode_sees_what_cuda_would_run() -> None:
    seen = []

    class Sees(TorchDispatchMode):
        def __torch_dispatch__(
            self, function: Any, types: Any, arguments: Any = (), keywords: Any = None
        ) -> Any:
            seen.append(str(function))
            return function(*arguments, **keywords or {})

    x, weight = device_tensor(4, 3), device_tensor(2, 3)
    with Sees():
        torch.nn.functional.linear(x.double(), weight.double())
    assert seen == ["aten._to_copy.default", "aten._to_copy.default", "aten.t.default",
                    "aten.mm.default"]  # fmt: skip


def each_device_keeps_its_own() -> None:
    x = torch.ones(2, device="cuda:1")
    for made in (x + 1, x.clone(), torch.zeros_like(x), x.new_zeros(3), x.half(), x[:1]):
        assert made.device == made.untyped_storage().device == torch.device("cuda", 1)
    assert torch.zeros_like(x, device="cpu").device.type == "cpu"
    assert x.to("cuda:0").device.index == 0


def a_resized_output_is_warned_of_where_it_is_written() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torch.add(device_tensor(5), 1, out=device_tensor(3))
    assert [warning.filename for warning in caught] == [__file__]


def versions_of_lists_are_counted() -> None:
    x = device_tensor(3).requires_grad_()
    squared = x * x
    with torch.no_grad():
        torch._foreach_mul_([x], 2.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        squared.sum().backward()


def memory_does_not_grow() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Linear(8, 2)).to("cuda")
    optimizer = torch.optim.Adam(model.parameters())

    def steps(count: int) -> int:
        for _ in range(count):
            optimizer.zero_grad()
            model(device_tensor(3, 4)).square().sum().backward()
            optimizer.step()
        gc.collect()
        return len(gc.get_objects())

    steps(20)
    assert abs(steps(200) - steps(100)) < 20


CHECKS = (
    threads_share_a_parameter, inference_tensors_stay_inference_tensors, transforms_nest,
    an_exception_in_backward_passes_through, a_subclass_is_asked_once, a_mode_sees_each_call_once,
    a_dispatch_mode_sees_what_cuda_would_run, each_device_keeps_its_own,
    a_resized_output_is_warned_of_where_it_is_written, versions_of_lists_are_counted,
    memory_does_not_grow,
)  # fmt: skip


def main() -> None:
    from devicefix.simulator import install

    install("sim:cuda:2")
    for check in CHECKS:
        trace = None
        try:
            check()
        except Exception:
            trace = traceback.format_exc()
        sys.stdout.write(json.dumps([check.__name__, trace]) + "\n")


if __name__ == "__main__":
    main()
