"""A batch comes from pinned memory, but its transfer blocks.

## What it does
Finds ``.to(device)`` and ``.cuda()`` on parts of batches of a ``DataLoader(..., pin_memory=True)``
without ``non_blocking=True``. The fix adds it.

Runs only on request (``--select DFX503``): the program is correct as it is.

## Why
Pinned memory allows the copy to the device to overlap with work on the CPU, but only with
``non_blocking=True``. Without it, pinning costs time and memory and brings little.

## Example
```python
for x, y in DataLoader(data, batch_size=64, pin_memory=True):
    x, y = x.to(device), y.to(device)
```
becomes
```python
for x, y in DataLoader(data, batch_size=64, pin_memory=True):
    x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
```

## Fix safety
Safe: operations on the device wait for the copy, and the allocator of pinned memory does not reuse
the memory of the batch before that. On the CPU the keyword does nothing. Only transfers *to* the
device are found: one to the CPU must not be read before it has finished.

## References
- https://docs.pytorch.org/docs/stable/notes/cuda.html#use-pinned-memory-buffers
- https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html
"""

from __future__ import annotations

from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.edits import EditError, add_keyword
from devicefix.findings import Applicability, Finding, Fix
from devicefix.flow import Route


class PinnedButBlocking(Codemod):
    """``x.to(device)`` with x from a loader that pins."""

    code = "DFX503"
    name = "pinned-but-blocking"
    on_request = True

    def check(self, context: Context) -> Iterator[Finding]:
        for route in context.facts.routes.values():
            if route.pinned and not _says_it(route):
                yield self._finding(context, route)

    def _finding(self, context: Context, route: Route) -> Finding:
        message = "this batch is in pinned memory, but its transfer blocks"
        try:
            edit = add_keyword(context.source, route.call, "non_blocking", "True")
        except EditError:
            return context.finding(self, route.call, message, None, "add `non_blocking=True`")
        fix = Fix((edit,), Applicability.SAFE, f"{self.code}-{context.source.span(route.call).end}")
        return context.finding(self, route.call, message, fix)


def _says_it(route: Route) -> bool:
    """``non_blocking`` as a keyword, or as the second argument."""
    return len(route.call.args) > 1 or any(k.arg == "non_blocking" for k in route.call.keywords)
