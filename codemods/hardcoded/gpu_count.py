"""The number of GPUs, which may be 0, is used as a divisor or as a factor of the batch size.

## What it does
Finds divisions by ``torch.cuda.device_count()``, and batch sizes of a ``DataLoader`` or
``BatchSampler`` that are multiplied by it, without a check that there is a GPU. The number becomes
at least 1.

## Why
It is 0 without a GPU: dividing a number raises ``ZeroDivisionError``, dividing a tensor or an array
gives infinity, and a batch size of 0 raises ``ValueError: batch_size should be a positive integer
value, but got batch_size=0``. A program without a GPU computes on one device, just as with one GPU.

## Example
```python
batch_size = args.batch_size * torch.cuda.device_count()
```
becomes
```python
batch_size = args.batch_size * max(1, torch.cuda.device_count())
```

## Fix safety
Safe: nothing changes where there is a GPU, and where there is none the program failed, or went on
with infinity. A remainder (``rank % torch.cuda.device_count()``) is the number of a GPU; it
is left unchanged.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.cuda.device_count.html
- https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.edits import EditError, as_last_argument
from devicefix.findings import Applicability, Edit, Finding, Fix
from devicefix.source import Source
from devicefix.source.imports import bindings

_MESSAGE = "the number of GPUs is 0 without CUDA"


class GpuCount(Codemod):
    """``batch_size * torch.cuda.device_count()``."""

    code = "DFX216"
    name = "gpu-count"
    ports = True

    def check(self, context: Context) -> Iterator[Finding]:
        for number in context.facts.zero_counts:
            yield self._finding(context, number)

    def _finding(self, context: Context, number: ast.expr) -> Finding:
        try:
            edits = _edits(context.source, number)
        except EditError as error:
            return context.finding(self, number, _MESSAGE, None, str(error))
        fix = Fix(edits, Applicability.SAFE, f"{self.code}-{context.source.span(number).start}")
        return context.finding(self, number, _MESSAGE, fix)


def _edits(source: Source, number: ast.expr) -> tuple[Edit, ...]:
    if source.once(bindings)["max"]:
        raise EditError("the file redefines `max`")
    return as_last_argument(source, number, "max(1, ")
