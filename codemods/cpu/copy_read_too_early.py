"""A non-blocking copy from the device may be read on the CPU before it is complete.

## What it does
Finds ``x.to("cpu", non_blocking=True)``, and ``kept.copy_(x, non_blocking=True)`` into pinned
memory, where the program then computes with the copy, prints it or reads numbers from it, and
nothing in between waits for the device: no ``synchronize``, no ``.item()`` of a device tensor, no
call of code that was not analysed.

## Why
``non_blocking=True`` returns before the copy has been made. Operations on the device wait for it,
but the CPU does not: it reads the old content of the memory, often zeros, without an error.
``.to("cpu", non_blocking=True)`` allocates pinned memory for the copy, so the copy really is
asynchronous. On the CPU there is no copy, and on a simulated device it is complete at once.

## Example
```python
host = output.to("cpu", non_blocking=True)
print(host.sum())
```
is right as
```python
host = output.to("cpu")
print(host.sum())
```
or, where the CPU has other things to do in the meantime, with ``torch.accelerator.synchronize()``
in front of the first read.

## Fix safety
There is no fix: where the program should wait is your decision.

## References
- https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html
- https://docs.pytorch.org/docs/stable/notes/cuda.html#use-pinned-memory-buffers
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.findings import Finding


class CopyReadTooEarly(Codemod):
    """``print(x.to("cpu", non_blocking=True))``."""

    code = "DFX405"
    name = "copy-read-too-early"
    only_reports = True

    def check(self, context: Context) -> Iterator[Finding]:
        for copy in context.facts.unfinished_copies:
            line = getattr(copy.read, "lineno", 0)
            text = ast.unparse(copy.call)
            message = f"line {line} may read `{text}` before the copy is complete"
            advice = "leave out `non_blocking=True`, or call `synchronize` before the read"
            yield context.finding(self, copy.call, message, None, advice)
