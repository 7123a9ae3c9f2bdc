"""Compare the simulated device with the CPU, operator by operator, on torch's own samples.

    PYTHONPATH=. python scripts/op_database.py [--device sim:cuda] [--samples 2] [OPERATOR...]

``torch.testing`` comes with a list of nearly all operators (``op_db``) and with inputs for each.
Every operator runs on both with the same seed: its results, their dtypes, layouts and devices, and
the gradients of its inputs have to agree within 1e-4 (relative) or 1e-5 (absolute). It needs torch,
numpy and expecttest, and nothing of devicefix beside the simulator.

One line for each operator that is not right, with the reason, and a line with the numbers. The exit
status is 1 if an operator is wrong; one that CUDA refuses in the same way is not.
"""

from __future__ import annotations

import argparse
import itertools
import math
import random
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch.utils import _pytree as pytree

from devicefix.simulator import Refused, install

REFUSED_BY_CUDA: Final = {
    "histogram": ("aten::histogram", "has a kernel for the CPU only"),
    "histogramdd": ("aten::_histogramdd_bin_edges", "has a kernel for the CPU only"),
    "sparse.mm.reduce": ("sparse", "has a kernel for the CPU only"),
    "tensor_split": ("to be on cpu", "reads its indices on the host"),
    "nonzero_static": ("aten::nonzero_static", "has a kernel for the CPU only until torch 2.6"),
    "torch.ops.aten._scaled_dot_product_flash_attention_for_cpu": (
        "_flash_attention_for_cpu",
        "is the CPU's own",
    ),
}
"""What a real GPU cannot do with these inputs either: a part of the error, and why.

The kernels are those of ``dispatch`` in native_functions.yaml.
"""

UNDEFINED: Final = ("empty", "new_empty")
"""Operators whose values are whatever lay in memory begin with these."""

DTYPES: Final = (torch.float32, torch.float64, torch.complex64, torch.int64, torch.bool,
                 torch.int32, torch.uint8)  # fmt: skip
"""The first of them that an operator takes is used."""

SEED: Final = 7

Tensor = torch.Tensor


class Wrong(Exception):  # noqa: N818
    """The two sides disagree; the message says in what."""


class NoSample(Exception):  # noqa: N818
    """The CPU could do nothing with this operator; the message says why."""


@dataclass
class Count:
    """How many operators came to what."""

    right: int = 0
    refused: int = 0
    wrong: int = 0
    skipped: int = 0

    def __str__(self) -> str:
        tried = self.right + self.refused + self.wrong
        share = 100 * self.right / max(tried, 1)
        return (
            f"right {self.right} of {tried} ({share:.1f}%), refused as by CUDA {self.refused}, "
            f"wrong {self.wrong}, without a sample {self.skipped}"
        )


def main() -> int:
    """Run the operators, print what they came to."""
    options = _options()
    warnings.simplefilter("ignore")
    try:
        accelerator = install(options.device)
    except (Refused, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    from torch.testing._internal.common_methods_invocations import op_db

    count = Count()
    for op in op_db:
        name = f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name
        if not options.operators or op.name in options.operators or name in options.operators:
            _report(name, count, lambda op=op: _compare(op, accelerator.name, options.samples))
    print(f"torch {torch.__version__}, {accelerator.simulated}: {count}")
    return 1 if count.wrong else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("operators", nargs="*", help="names as in op_db; all if there are none")
    parser.add_argument(
        "--device", default="sim:cuda", help="sim:cuda, sim:mps, sim:xpu or sim:npu"
    )
    parser.add_argument("--samples", type=int, default=2, help="of each operator (default: 2)")
    return parser.parse_args()


def _report(name: str, count: Count, compare: Callable[[], None]) -> None:
    try:
        compare()
    except NoSample as error:
        count.skipped += 1
        print(f"no sample  {name}: {error}")
    except Exception as error:
        text = " ".join(str(error).split())[:200]
        part, reason = REFUSED_BY_CUDA.get(name, ("", ""))
        if reason and part in text:
            count.refused += 1
            print(f"refused    {name}: CUDA refuses it, too: it {reason}")
        else:
            count.wrong += 1
            print(f"wrong      {name}: {type(error).__name__}: {text}")
    else:
        count.right += 1
    sys.stdout.flush()


def _compare(op: Any, device: str, number: int) -> None:
    """Run ``op`` on both sides. Raises `Wrong`, `NoSample`, and what the device's side raises."""
    dtype = next((dtype for dtype in _dtypes(device) if dtype in op.dtypes), None)
    if dtype is None:
        raise NoSample(f"no common dtype among {op.dtypes}")
    differentiable = op.supports_autograd and dtype.is_floating_point
    tried, reason = 0, "there is none"
    for sample in itertools.islice(_samples(op, dtype, differentiable), number):
        try:
            expected = _run(op, sample, _copied)
        except Exception as error:
            reason = " ".join(str(error).split())[:100]
            continue
        tried += 1
        _agree(expected, _run(op, sample, _mover(device)), device, exact=_is_defined(op.name))
    if not tried:
        raise NoSample(f"the CPU refuses them: {reason}")


def _dtypes(device: str) -> Iterator[torch.dtype]:
    return (dtype for dtype in DTYPES if device != "mps" or dtype is not torch.float64)


def _samples(op: Any, dtype: torch.dtype, differentiable: bool) -> Iterator[Any]:
    try:
        yield from op.sample_inputs("cpu", dtype, requires_grad=differentiable)
    except Exception as error:
        raise NoSample(f"torch cannot make one: {error}") from error


def _is_defined(name: str) -> bool:
    return not name.startswith(UNDEFINED)


_Move = Callable[[Any], Any]


@dataclass
class _Outcome:
    results: list[Any]
    gradients: list[Tensor | None]


def _run(op: Any, sample: Any, move: _Move) -> _Outcome:
    values = (sample.input, tuple(sample.args), dict(sample.kwargs))
    data, arguments, keywords = moved = pytree.tree_map(move, values)
    torch.manual_seed(SEED)
    random.seed(SEED)
    results = op(data, *arguments, **keywords)
    if results is not None:
        results = sample.output_process_fn_grad(results)
    wanted = [leaf for leaf in pytree.tree_leaves(moved) if _has_gradient(leaf)]
    leaves = pytree.tree_leaves(results)
    return _Outcome(leaves, _gradients([leaf for leaf in leaves if _has_gradient(leaf)], wanted))


def _has_gradient(value: Any) -> bool:
    return isinstance(value, Tensor) and value.requires_grad


def _gradients(outputs: Sequence[Tensor], inputs: Sequence[Tensor]) -> list[Tensor | None]:
    if not outputs or not inputs:
        return []
    loss = sum(_dense(output).abs().sum().cpu().double() for output in outputs)
    assert isinstance(loss, Tensor)
    return list(torch.autograd.grad(loss, inputs, allow_unused=True))


def _copied(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.detach().clone().requires_grad_(value.requires_grad)
    return value


def _mover(device: str) -> _Move:
    def move(value: Any) -> Any:
        if isinstance(value, Tensor):
            return value.detach().to(device).requires_grad_(value.requires_grad)
        return torch.device(device) if _is_host(value) else value

    return move


def _is_host(value: Any) -> bool:
    """Samples are made for the CPU, and some name it among their arguments."""
    return isinstance(value, torch.device) or (isinstance(value, str) and value == "cpu")


def _agree(expected: _Outcome, found: _Outcome, device: str, exact: bool) -> None:
    _equal_lists(expected.results, found.results, device, exact)
    try:
        _equal_lists(expected.gradients, found.gradients, device, exact)
    except Wrong as error:
        raise Wrong(f"gradient: {error}") from None


def _equal_lists(expected: Sequence[Any], found: Sequence[Any], device: str, exact: bool) -> None:
    if len(expected) != len(found):
        raise Wrong(f"{len(found)} results for {len(expected)}")
    for left, right in zip(expected, found, strict=True):
        if isinstance(left, Tensor) and isinstance(right, Tensor):
            _equal_tensors(left, right, device, exact)
        elif exact and not _equal_values(left, right):
            raise Wrong(f"{right!r} for {left!r}")


def _equal_tensors(expected: Tensor, found: Tensor, device: str, exact: bool) -> None:
    if found.device.type != device:
        raise Wrong(f"a result on {found.device}")
    for what in ("dtype", "layout", "shape"):
        if getattr(expected, what) != getattr(found, what):
            raise Wrong(f"{what} {getattr(found, what)} for {getattr(expected, what)}")
    here, there = _plain(expected), _plain(found.cpu())
    if exact and not torch.allclose(here, there, rtol=1e-4, atol=1e-5, equal_nan=True):
        raise Wrong("other values")


def _plain(tensor: Tensor) -> Tensor:
    dense = _dense(tensor.detach()).resolve_conj().resolve_neg()
    return dense.dequantize() if dense.is_quantized else dense


def _dense(tensor: Tensor) -> Tensor:
    return tensor if tensor.layout is torch.strided else tensor.to_dense()


def _equal_values(left: Any, right: Any) -> bool:
    if isinstance(left, float) and isinstance(right, float) and math.isnan(left):
        return math.isnan(right)
    return bool(left == right)


if __name__ == "__main__":
    sys.exit(main())
