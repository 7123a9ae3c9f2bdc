"""A tensor is made volatile, which has no effect any more.

## What it does
Removes ``Variable(x, volatile=True)``, and puts the statements that combine the value with
something that has parameters (a module, unanalysed code) under ``with torch.no_grad():``. With
``volatile=not train`` they go under ``torch.set_grad_enabled(train)``. If a function returns the
value, or a value computed from it, all of its calls have to be known. ``x.volatile = True`` is
removed as well, and so is ``x.volatile = False``; in a Python 2 file the latter becomes
``x = x.detach()`` if ``x`` was computed, since it ended the effect of ``volatile``. Indices and
other integers have no effect on gradients.

## Why
Values computed from a volatile variable had no gradient and kept no graph. Since torch 0.4 the
argument only warns: an evaluation loop now builds graphs that are not needed.

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
Safe: ``no_grad`` is added only where it cannot change a result: nothing needs a gradient of the
values computed there (``backward``, ``requires_grad``), and stored or returned values have none, or
their uses are known. Otherwise, as in a ``forward`` or if the value is stored in an object,
everything is left unchanged and reported, with the line that is the reason.

## References
- https://pytorch.org/blog/pytorch-0_4_0-migration-guide/#what-about-volatile
- https://docs.pytorch.org/docs/stable/generated/torch.no_grad.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from devicefix.codemod import Codemod, Context
from devicefix.edits import (
    EditError,
    import_torch,
    put_inside,
    statement_of,
    unwrap_all,
    without_statement,
)
from devicefix.findings import Applicability, Edit, Finding, Fix
from devicefix.flow import Ungraded, Wrapping

_Written: TypeAlias = tuple[ast.AST, tuple[Edit, ...]]
_MESSAGE = "`volatile` has no effect any more"


class Volatile(Codemod):
    """``Variable(x, volatile=True)``."""

    code = "DFX602"
    name = "volatile"
    local = True

    def check(self, context: Context) -> Iterator[Finding]:
        for found in context.facts.ungraded:
            first = found.wrappings[0].call if found.wrappings else found.switch
            assert first is not None
            if found.blocked:
                advice = f"decide which computations need no gradient ({found.blocked})"
                yield context.finding(self, first, _MESSAGE, None, advice)
                continue
            try:
                written = _apart(list(_written(context, found)))
            except EditError as error:
                yield context.finding(self, first, _MESSAGE, None, str(error))
                continue
            group = f"{self.code}-{context.source.span(first).start}"
            for tree, edits in written:
                fix = Fix(edits, Applicability.SAFE, group, early=True)
                yield context.finding(self, tree, _MESSAGE, fix)


def _written(context: Context, found: Ungraded) -> Iterator[_Written]:
    if found.switch is not None:
        yield found.switch, _switched(context, found.switch, detaches=found.detaches)
    yield from _unwrapped(context, found)
    for one in (found, *found.callers):
        yield from _below(context, one)


def _switched(context: Context, switch: ast.Assign, *, detaches: bool) -> tuple[Edit, ...]:
    """Without ``x.volatile = …``, or with ``x = x.detach()`` in its place."""
    target = switch.targets[0]
    if not (detaches and isinstance(target, ast.Attribute)):
        return (without_statement(context.source, switch),)
    span, name = context.source.span(switch), context.source.segment(target.value)
    return (Edit(span.start, span.end, 0, f"{name} = {name}.detach()"),)


def _apart(written: list[_Written]) -> list[_Written]:
    """Without what would indent a line whose beginning another edit takes away."""
    taken = [(edit.start, edit.end) for _, edits in written for edit in edits]
    return [
        (tree, tuple(e for e in edits if not any(a < e.start == e.end < b for a, b in taken)))
        for tree, edits in written
    ]


def _unwrapped(context: Context, found: Ungraded) -> Iterator[_Written]:
    for tree, edits in unwrap_all(context.source, _together(context, found)):
        if isinstance(edits, EditError):
            raise edits
        yield tree, edits


def _below(context: Context, found: Ungraded) -> Iterator[_Written]:
    """The statements that go below ``torch.no_grad()``."""
    torch = context.facts.torch or "torch"
    more = () if context.facts.torch or not found.runs else import_torch(context.source)
    for run in _joined(context, found.runs):
        head = f"with {torch}.{_switch(context, found.flag)}:"
        for statement, edits in zip(run, put_inside(context.source, run, head), strict=True):
            yield statement, (*edits, *more)


def _joined(context: Context, runs: Sequence[Sequence[ast.stmt]]) -> list[Sequence[ast.stmt]]:
    """A condition as a whole, where all of both its branches goes there."""
    left = list(runs)
    for run in runs:
        above = context.facts.parents.get(run[0])
        if isinstance(above, ast.If) and isinstance(above.test, (ast.Attribute, ast.Name)):
            both = [r for r in left if list(r) in (above.body, above.orelse)]
            if len(both) == 2:
                left = [r for r in left if r not in both] + [[above]]
    return left


def _switch(context: Context, flag: ast.expr) -> str:
    if isinstance(flag, ast.Constant):
        return "no_grad()"
    if isinstance(flag, ast.UnaryOp) and isinstance(flag.op, ast.Not):
        return f"set_grad_enabled({context.source.segment(flag.operand)})"
    if isinstance(flag, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)):
        return f"set_grad_enabled(not {context.source.segment(flag)})"
    raise EditError("the condition is not a plain name")


def _together(context: Context, found: Ungraded) -> list[Wrapping]:
    """The volatile values, and the others that the same statements wrap."""
    statements = {statement_of(context.source, w.call) for w in found.wrappings}
    return [
        w
        for w in context.facts.wrappings
        if w in found.wrappings
        or (w.volatile is None and statement_of(context.source, w.call) in statements)
    ]
