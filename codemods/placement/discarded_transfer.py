"""The result of ``.to()`` or ``.cuda()`` on a tensor is discarded.

## What it does
Finds ``x.to(device)`` and ``x.cuda()`` as statements, where ``x`` is a tensor. The fix assigns the
result to the same name.

## Why
``Module.to`` moves the module itself. ``Tensor.to`` returns a new tensor and leaves the old one
where it was: as a statement it does nothing.

## Example
```python
inputs.to(device)
```
becomes
```python
inputs = inputs.to(device)
```

## Fix safety
Safe: on the CPU ``.to(device)`` returns the tensor itself. Statements on modules, on anything that
is not definitely a tensor, and casts (``x.to(torch.float64)``: assigning them would change results)
are not reported. A leaf (``requires_grad=True``, ``Parameter``) and a tensor that is modified in
place are only reported: a moved copy would be another tensor. So is a local variable that is not
read afterwards.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.edits import assign_statement
from devicefix.findings import Applicability, Finding, Fix
from devicefix.flow import Kind, TransferCall


class DiscardedTransfer(Codemod):
    """``x.to(device)`` as a statement."""

    code = "DFX109"
    name = "discarded-transfer"

    def check(self, context: Context) -> Iterator[Finding]:
        for seen in context.facts.calls.values():
            statement = context.facts.parents.get(seen.call)
            if not isinstance(statement, ast.Expr) or context.source.is_displayed(statement):
                continue
            if _returns_a_copy(seen):
                yield self._finding(context, seen, statement)

    def _finding(self, context: Context, seen: TransferCall, statement: ast.Expr) -> Finding:
        assert isinstance(seen.call.func, ast.Attribute)
        target = context.source.segment(seen.call.func.value)
        message = (
            f"`{target}.{seen.call.func.attr}()` returns a new tensor, which is discarded here"
        )
        if seen.bound_to_stay:
            advice = "it is a leaf tensor, or modified in place: create it on the device instead"
            return context.finding(self, statement, message, None, advice)
        if seen.spent:
            return context.finding(self, statement, message, None, "it is not used afterwards")
        edit = assign_statement(context.source, statement, target)
        fix = Fix((edit,), Applicability.SAFE, f"{self.code}-{edit.start}")
        return context.finding(self, statement, message, fix)


def _returns_a_copy(seen: TransferCall) -> bool:
    """Surely a tensor, under a name that can be bound again."""
    func = seen.call.func
    return (
        seen.kind is Kind.TORCH
        and seen.surely_tensor
        and seen.only_moves
        and isinstance(func, ast.Attribute)
        and func.attr in ("to", "cuda", "cpu")
        and isinstance(func.value, (ast.Name, ast.Attribute))
    )
