"""Each iteration of a loop reads a device tensor on the CPU, which synchronizes with the device.

## What it does
Finds ``.item()`` and ``.tolist()`` on device tensors in the body of a loop, except under conditions
such as ``if step % 100 == 0:``.

Runs only on request (``--select DFX505``), and never fixes: what is printed or compared in every
iteration has to be read.

## Why
The CPU only queues work for the device and continues. A read waits until the device has finished
all of it; in every iteration this empties the queue. A sum of losses can stay a tensor until the
loop ends.

## Example
```python
for x, y in loader:
    ...
    total += loss.item()
```
is better written as
```python
total = torch.zeros((), device=device)
for x, y in loader:
    ...
    total += loss.detach()
print(total.item())
```
(which adds in float32, not in Python's double precision: the digits may change).

## Fix safety
There is no fix.

## References
- https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.findings import Finding


class WaitInLoop(Codemod):
    """``total += loss.item()`` in the training loop."""

    code = "DFX505"
    name = "wait-in-loop"
    on_request = True
    only_reports = True

    def check(self, context: Context) -> Iterator[Finding]:
        for wait in context.facts.waits:
            text = ast.unparse(wait.call)
            line = getattr(wait.loop, "lineno", 0)
            where = f"in every iteration of the loop on line {line}"
            message = f"`{text}` synchronizes with the device {where}"
            advice = "accumulate on the device, and read the result once after the loop"
            yield context.finding(self, wait.call, message, None, advice)
