"""A custom autograd ``Function`` has non-static methods.

## What it does
Finds classes derived from ``torch.autograd.Function`` whose ``forward`` or ``backward`` is not a
static method. They are reported.

## Why
Since torch 1.5 calling them raises: ``RuntimeError: Legacy autograd function with non-static
forward method is deprecated``. What ``self`` holds has to go to ``ctx``, and ``Square()(x)``
becomes ``Square.apply(x)``: you have to decide where the values go that the object was constructed
with.

## Example
```python
class Square(torch.autograd.Function):
    def forward(self, x):
        self.save_for_backward(x)
        return x * x
```

## Fix safety
There is no fix.

## References
- https://docs.pytorch.org/docs/stable/autograd.html#torch.autograd.Function
- https://github.com/pytorch/pytorch/releases/tag/v1.5.0
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.findings import Finding
from devicefix.flow import Belief

_METHODS = frozenset({"backward", "forward"})


class OldFunction(Codemod):
    """``class Square(torch.autograd.Function)`` with methods of objects."""

    code = "DFX613"
    name = "old-function"
    local = True
    modernizes = True
    only_reports = True

    def check(self, context: Context) -> Iterator[Finding]:
        for tree in context.source.of_type(ast.ClassDef):
            if _derives(context, tree):
                for method in tree.body:
                    if isinstance(method, ast.FunctionDef) and _needs_object(method):
                        message = f"`{tree.name}.{method.name}` raises an error when it is called"
                        advice = f"make it a static method with `ctx`, and call `{tree.name}.apply`"
                        yield context.finding(self, method, message, None, advice)


def _derives(context: Context, tree: ast.ClassDef) -> bool:
    names = [context.facts.beliefs.get(base, Belief()).name for base in tree.bases]
    return "torch.autograd.Function" in names


def _needs_object(method: ast.FunctionDef) -> bool:
    static = any(ast.unparse(d) == "staticmethod" for d in method.decorator_list)
    return method.name in _METHODS and not static
