"""An optimizer's state was created before its module was moved, or it lacks some parameters.

## What it does
Finds ``Adagrad`` built, or ``optimizer.load_state_dict(...)`` called, before the module moves to
the device; the fix moves the module first if no statement prevents it. Also finds optimizers that
take a step although a submodule was replaced after they were created.

## Why
``Module.to`` keeps its parameters' identity, so ``SGD`` or ``Adam`` may be created before it: they
create their state in the first step. ``Adagrad`` creates it in the constructor, and
``load_state_dict`` moves it to the device of the parameters at that time. That state stays on the
CPU, and ``step`` raises ``Expected all tensors to be on the same device``. A submodule that is
replaced later has parameters that the optimizer does not hold: they are not trained, on any device.

## Example
```python
optimizer = torch.optim.Adagrad(model.parameters())
model.to(device)
```
becomes
```python
model.to(device)
optimizer = torch.optim.Adagrad(model.parameters())
```

## Fix safety
Safe if both statements are in the same block, and the statements in between neither use the module
nor define the device: on the CPU ``.to(device)`` changes nothing. Otherwise, and for a replaced
submodule, it needs your decision.

## References
- https://docs.pytorch.org/docs/stable/optim.html#constructing-it
- https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.load_state_dict.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.edits import EditError, hoist_statement
from devicefix.findings import Applicability, Edit, Finding, Fix
from devicefix.flow import Staleness, StaleOptimizer


class OptimizerOlderThanMove(Codemod):
    """``Adagrad(model.parameters())`` before ``model.to(device)``."""

    code = "DFX110"
    name = "optimizer-older-than-move"

    def check(self, context: Context) -> Iterator[Finding]:
        for stale in context.facts.optimizers:
            yield self._finding(context, stale)

    def _finding(self, context: Context, stale: StaleOptimizer) -> Finding:
        line = getattr(stale.change, "lineno", 0)
        if stale.how is Staleness.REPLACED:
            message = f"line {line} replaces a module whose parameters this optimizer holds"
            advice = "create the optimizer after that, or add the new parameters to it"
            return context.finding(self, stale.call, message, None, advice)
        message = f"this optimizer's state is created before its module is moved (line {line})"
        try:
            edits = _hoisted(context, stale)
        except EditError:
            advice = "move the module first"
            return context.finding(self, stale.made, message, None, advice)
        start = context.source.span(stale.made).start
        fix = Fix(edits, Applicability.SAFE, f"{self.code}-{start}")
        return context.finding(self, stale.made, message, fix)


def _hoisted(context: Context, stale: StaleOptimizer) -> tuple[Edit, ...]:
    change, made = (_statement(context, tree) for tree in (stale.change, stale.made))
    if context.facts.parents.get(change) is not context.facts.parents.get(made):
        raise EditError("the statements are not in the same block")
    call = stale.change
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
        raise EditError("not a method call")
    if not (isinstance(call.func.value, ast.Name) and _does_nothing_else(change, call)):
        raise EditError("the statement does more than move a module")
    return hoist_statement(context.source, change, made, call.func.value.id)


def _does_nothing_else(statement: ast.stmt, call: ast.Call) -> bool:
    """``model.to(device)`` or ``model = model.to(device)``."""
    if isinstance(statement, ast.Assign):
        same = ast.unparse(statement.targets[0]) == ast.unparse(call.func).rpartition(".")[0]
        return statement.value is call and len(statement.targets) == 1 and same
    return isinstance(statement, ast.Expr) and statement.value is call


def _statement(context: Context, tree: ast.AST) -> ast.stmt:
    """The statement that holds ``tree``."""
    current: ast.AST | None = tree
    while current is not None and not isinstance(current, ast.stmt):
        current = context.facts.parents.get(current)
    if current is None:
        raise EditError("not part of a statement")
    return current
