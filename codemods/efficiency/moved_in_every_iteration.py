"""The same tensor is moved to the device in every iteration of a loop.

## What it does
Finds ``x.to(device)`` and ``x.cuda()`` in the body of a loop that does not change ``x``, where
``x`` stays on the CPU.

Runs only on request (``--select DFX504``), and never fixes: whether the CPU also needs ``x``, and
how long it may stay in device memory, is your decision.

## Why
Every transfer copies the whole tensor, and from pageable memory the CPU waits for it. One transfer
before the loop is enough.

## Example
```python
for epoch in range(100):
    loss = criterion(model(x.to(device)), y.to(device))
```
is better written as
```python
x, y = x.to(device), y.to(device)
for epoch in range(100):
    loss = criterion(model(x), y)
```

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


class MovedInEveryIteration(Codemod):
    """``x.to(device)`` in a loop that never changes x."""

    code = "DFX504"
    name = "moved-in-every-iteration"
    on_request = True
    only_reports = True

    def check(self, context: Context) -> Iterator[Finding]:
        for route in context.facts.routes.values():
            if route.loop is None or route.again is not None:
                continue
            assert isinstance(route.call.func, ast.Attribute)
            moved = ast.unparse(route.call.func.value)
            message = f"the loop on line {route.loop.lineno} moves `{moved}` in every iteration"
            advice = f"move `{moved}` once, before the loop"
            yield context.finding(self, route.call, message, None, advice)
