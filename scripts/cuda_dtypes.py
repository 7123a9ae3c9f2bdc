"""Say where the simulated device takes other dtypes than CUDA does, by torch's own tests.

    PYTHONPATH=. python scripts/cuda_dtypes.py [--device sim:cuda] [OPERATOR...]

``op_db`` in ``torch.testing`` says for nearly all operators which dtypes they take on the CPU and
on CUDA. Each operator runs once for each of them, on a sample of torch's own. What CUDA lacks has
to raise, and what it takes must not raise "not implemented for". It needs torch, numpy and
expecttest, and nothing of devicefix beside the simulator.

One line for each difference, and a line with the numbers. The exit status is 1 if there is one.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator
from typing import Any, Final

import torch
from op_database import _mover, _samples
from torch.utils import _pytree as pytree

from devicefix.simulator import install

DTYPES: Final = (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.complex64,
                 torch.complex128, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8,
                 torch.bool)  # fmt: skip

SAMPLES: Final = 4
"""So many are looked through for one that the CPU, or float32, can do something with."""


def main() -> int:
    """Run the operators, print the differences."""
    options = _options()
    warnings.simplefilter("ignore")
    accelerator = install(options.device)  # before the list, which asks what CUDA can do
    from torch.testing._internal.common_methods_invocations import op_db

    right = wrong = 0
    for op in op_db:
        if options.operators and op.name not in options.operators:
            continue
        for dtype in DTYPES:
            said = _difference(op, dtype, accelerator.name)
            if said is None:
                continue
            right, wrong = (right, wrong + 1) if said else (right + 1, wrong)
            if said:
                print(f"{op.name}.{op.variant_test_name} {dtype}: {said}", flush=True)
    print(f"torch {torch.__version__}, {accelerator.simulated}: as on CUDA {right}, not {wrong}")
    return 1 if wrong else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("operators", nargs="*", help="names as in op_db; all if there are none")
    parser.add_argument("--device", default="sim:cuda")
    return parser.parse_args()


def _difference(op: Any, dtype: torch.dtype, device: str) -> str | None:
    """What is other than on CUDA; empty if nothing is, None if there is nothing to try."""
    here, there = dtype in op.dtypes, dtype in op.dtypesIfCUDA
    if not (here or there):
        return None
    try:
        sample = next(_usable(op, dtype, here), None)
    except Exception:
        return None
    if sample is None:
        return None
    data, arguments, keywords = pytree.tree_map(_mover(device), sample)
    try:
        op(data, *arguments, **keywords)
    except Exception as error:
        text = " ".join(str(error).split())[:100]
        return f"refused: {text}" if there and "not implemented for" in text else ""
    return "" if there else "taken, though CUDA lacks it"


def _usable(op: Any, dtype: torch.dtype, here: bool) -> Iterator[Any]:
    """Samples with more than nothing in them that the CPU can use, where it knows the dtype."""
    for _, sample in zip(range(SAMPLES), _samples(op, dtype, False), strict=False):
        values = (sample.input, tuple(sample.args), dict(sample.kwargs))
        if not all(leaf.numel() for leaf in pytree.tree_leaves(values) if torch.is_tensor(leaf)):
            continue
        try:
            if here:
                op(sample.input, *sample.args, **sample.kwargs)
        except Exception:
            continue
        yield values


if __name__ == "__main__":
    sys.exit(main())
