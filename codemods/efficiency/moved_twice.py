"""A tensor is moved to the device that it is already on.

## What it does
Finds ``x.to(device)`` and ``x.cuda()`` on a tensor that the same function has already moved to the
same device on every path. The fix removes the second transfer.

Runs only on request (``--select DFX502``): the program is correct as it is.

## Why
``.to(device)`` of a tensor that is already there returns the tensor itself. It costs almost
nothing, but it hides which transfer is the real one.

## Example
```python
x = x.to(device)
loss = criterion(model(x.to(device)), y)
```
becomes
```python
x = x.to(device)
loss = criterion(model(x), y)
```

## Fix safety
Safe: both transfers use the same expression for the device, nothing reassigns it in between, and
the first one runs whenever the second does. Transfers that also copy or cast are not reported.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.edits import EditError, remove_method, remove_statement
from devicefix.findings import Applicability, Edit, Finding, Fix
from devicefix.flow import Route


class MovedTwice(Codemod):
    """``x.to(device)`` behind ``x = x.to(device)``."""

    code = "DFX502"
    name = "moved-twice"
    on_request = True

    def check(self, context: Context) -> Iterator[Finding]:
        for route in context.facts.routes.values():
            if route.again is None:
                continue
            message = f"this tensor is already on that device (line {route.again.lineno})"
            try:
                edit = _edit(context, route)
            except EditError:
                yield context.finding(self, route.call, message, None, "remove this move")
                continue
            group = f"{self.code}-{context.source.span(route.call).end}"
            fix = Fix((edit,), Applicability.SAFE, group)
            yield context.finding(self, route.call, message, fix)


def _edit(context: Context, route: Route) -> Edit:
    """Without the transfer; a statement that would say ``x = x`` then goes as a whole."""
    assert isinstance(route.call.func, ast.Attribute)
    parent = context.facts.parents.get(route.call)
    moved = ast.unparse(route.call.func.value)
    if isinstance(parent, ast.Assign) and [ast.unparse(t) for t in parent.targets] == [moved]:
        return remove_statement(context.source, parent)
    if isinstance(parent, ast.Expr):
        return remove_statement(context.source, parent)
    return remove_method(context.source, route.call)
