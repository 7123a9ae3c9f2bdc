"""A tensor is made volatile, which means nothing any more.

## What it does
Takes ``Variable(x, volatile=True)`` away, and puts the statements in which such a value meets
something that may learn (a module, code that was not seen) below ``with torch.no_grad():``. Under
``volatile=not train`` they go below ``torch.set_grad_enabled(train)``. Where a function returns
the value, this is done in those that call it, if all of its calls are seen.
``x.volatile = True`` goes, too.

## Why
All that was computed of a volatile variable had no gradient and kept no graph. Since torch 0.4 the
argument does nothing but warn: an evaluation loop keeps graphs that nobody needs.

## Example
```python
for images, labels in loader:
    images = Variable(images, volatile=True)
    outputs = model(images)
    loss = F.cross_entropy(outputs, labels)
```
becomes
```python
for images, labels in loader:
    with torch.no_grad():
        outputs = model(images)
    loss = F.cross_entropy(outputs, labels)
```

## Fix safety
Safe: in old torch nothing that was computed there had a gradient either, and the numbers are the
same. What torch's own functions make of a result without gradient has none, and stays outside.
Where it is not seen who computes with the value, because it is kept in an object, or returned to
calls that were not seen, the call alone is taken away: torch ignores ``volatile``, so this changes
nothing, and the graphs that are kept today are kept further.

## References
- https://pytorch.org/blog/pytorch-0_4_0-migration-guide/#what-about-volatile
- https://docs.pytorch.org/docs/stable/generated/torch.no_grad.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeAlias, TypeGuard

from devicefix.codemod import Codemod, Context
from devicefix.edits import (
    EditError,
    import_torch,
    put_inside,
    unwrap_all,
    without_statement,
)
from devicefix.findings import Applicability, Edit, Finding, Fix
from devicefix.flow import Belief, Sort, Ungraded, Wrapping

_Written: TypeAlias = tuple[ast.AST, tuple[Edit, ...]]
_MESSAGE = "`volatile` means nothing any more"


class Volatile(Codemod):
    """``Variable(x, volatile=True)``."""

    code = "DFX602"
    name = "volatile"
    local = True

    def check(self, context: Context) -> Iterator[Finding]:
        for found in context.facts.ungraded:
            first = found.wrappings[0].call
            why, message = found.blocked, _MESSAGE
            try:
                below = (
                    []
                    if why
                    else [e for one in (found, *found.callers) for e in _below(context, one)]
                )
            except EditError as error:
                why, below = str(error), []
            if why:
                message = f"{_MESSAGE}: gradients are kept as they are today ({why})"
            try:
                unwrapped = list(_unwrapped(context, found))
            except EditError as error:
                yield context.finding(self, first, _MESSAGE, None, str(error))
                continue
            group = f"{self.code}-{context.source.span(first).start}"
            for tree, edits in (*unwrapped, *below):
                fix = Fix(edits, Applicability.SAFE, group, early=True)
                yield context.finding(self, tree, message, fix)
        switched = "volatile" in context.source.attributes
        for node in context.source.of_type(ast.Assign) if switched else ():
            if _is_switch(node, context):
                yield self._switched(context, node)

    def _switched(self, context: Context, tree: ast.Assign) -> Finding:
        try:
            edit = without_statement(context.source, tree)
        except EditError as error:
            return context.finding(self, tree, _MESSAGE, None, str(error))
        fix = Fix((edit,), Applicability.SAFE, f"{self.code}-{edit.start}", early=True)
        return context.finding(self, tree, _MESSAGE, fix)


def _is_switch(tree: ast.AST, context: Context) -> TypeGuard[ast.Assign]:
    """``x.volatile = True``, of a tensor: torch warns, and that is all."""
    match tree:
        case ast.Assign(
            targets=[ast.Attribute(attr="volatile", value=holder)], value=ast.Constant(value=bool())
        ):
            return context.facts.beliefs.get(holder, Belief()).sort is Sort.TENSOR
    return False


def _unwrapped(context: Context, found: Ungraded) -> Iterator[_Written]:
    for tree, edits in unwrap_all(context.source, _together(context, found)):
        if isinstance(edits, EditError):
            raise edits
        yield tree, edits


def _below(context: Context, found: Ungraded) -> Iterator[_Written]:
    """The statements that go below ``torch.no_grad()``."""
    torch = context.facts.torch or "torch"
    more = () if context.facts.torch or not found.runs else import_torch(context.source)
    for run in found.runs:
        head = f"with {torch}.{_switch(context, found.flag)}:"
        for statement, edits in zip(run, put_inside(context.source, run, head), strict=True):
            yield statement, (*edits, *more)


def _switch(context: Context, flag: ast.expr) -> str:
    if isinstance(flag, ast.Constant):
        return "no_grad()"
    if isinstance(flag, ast.UnaryOp) and isinstance(flag.op, ast.Not):
        return f"set_grad_enabled({context.source.segment(flag.operand)})"
    if isinstance(flag, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)):
        return f"set_grad_enabled(not {context.source.segment(flag)})"
    raise EditError("the condition is more than a name")


def _together(context: Context, found: Ungraded) -> list[Wrapping]:
    """The volatile values, and the others that the same statements wrap."""
    statements = {_statement(context, w.call) for w in found.wrappings}
    return [
        w
        for w in context.facts.wrappings
        if w in found.wrappings
        or (w.volatile is None and _statement(context, w.call) in statements)
    ]


def _statement(context: Context, tree: ast.AST) -> ast.AST:
    found: ast.AST | None = tree
    while found is not None and not isinstance(found, ast.stmt):
        found = context.facts.parents.get(found)
    return found or tree
