"""A tensor is wrapped in ``Variable``, which is no longer needed.

## What it does
Removes ``Variable(x)``, also if it is imported under another name, and the import with its last
use; an import that was unused before stays. ``x = Variable(x)`` is removed as a whole, and so is
``y = Variable(x)`` if ``x`` has the same value wherever ``y`` is read. If the tensor may have a
gradient, it becomes ``x.detach()``; ``Variable(x, requires_grad=True)`` becomes ``torch.zeros(3,
requires_grad=True)``, ``x.requires_grad_()`` on a tensor that was just created, otherwise
``x.detach().requires_grad_()``. ``isinstance(x, Variable)`` and ``type(x) == Variable`` test for
``torch.Tensor``.

## Why
Tensors have been variables themselves since torch 0.4. What is left of ``Variable`` is a function
that returns ``x.detach()``, and nothing is of that type any more: ``type(h) == Variable`` is never
true, and a recursive function that tests it never ends.

## Example
```python
from torch.autograd import Variable

data, target = Variable(data), Variable(target)
noise = Variable(torch.randn(8, 3), requires_grad=True)
hidden = Variable(hidden.data)
```
becomes
```python
noise = torch.randn(8, 3, requires_grad=True)
hidden = hidden.data
```

## Fix safety
Safe: the result is the tensor itself only if it definitely has no gradient, or if the file dates
from a torch in which ``Variable`` accepted nothing else (it uses ``volatile=``); otherwise
``detach()`` is what ``Variable`` does. ``Variable(x, volatile=True)`` is covered by DFX602;
unpacked arguments need your decision.

## References
- https://docs.pytorch.org/docs/stable/autograd.html#variable-deprecated
- https://github.com/pytorch/pytorch/blob/v2.9.0/torch/csrc/autograd/python_legacy_variable.cpp
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.edits import (
    EditError,
    ask_for,
    import_torch,
    statement_of,
    unwrap_all,
    without_import,
)
from devicefix.findings import Applicability, Edit, Finding, Fix
from devicefix.flow.imported import dotted, origins
from devicefix.flow.queries.access import Path, of_tree

_NAME = "torch.autograd.Variable"
_MODULE = "torch.autograd"
_TENSORS = ("torch.Tensor", "torch.is_tensor")
_MESSAGE = "`Variable` is no longer needed"


class Variable(Codemod):
    """``Variable(x)``."""

    code = "DFX601"
    name = "variable"
    local = True

    def check(self, context: Context) -> Iterator[Finding]:
        wrapped = [w for w in context.facts.wrappings if w.volatile is None]
        taken = _with_volatile(context)
        own = [w for w in wrapped if statement_of(context.source, w.call) not in taken]
        beside = {w.call: _volatile_beside(context, w.call) for w in own}
        for tree, edits in unwrap_all(context.source, [w for w in own if not beside[w.call]]):
            yield self._unwrapped(context, tree, edits)
        for call, line in beside.items():
            if line:
                advice = f"decide about the `volatile` Variable on line {line} first"
                yield context.finding(self, call, _MESSAGE, None, advice)
        for wrapping in wrapped:
            if wrapping.data is None:
                advice = "its argument cannot be analysed here"
                yield context.finding(self, wrapping.call, _MESSAGE, None, advice)
        calls = {w.call for w in context.facts.wrappings}
        for tree, belief in context.facts.beliefs.items():
            if not isinstance(tree, ast.expr) or belief.name != _NAME:
                continue
            if context.facts.parents.get(tree) not in calls:
                yield from self._asked(context, tree)
        yield from self.tidy(context)

    def _fix(self, context: Context, tree: ast.AST, *edits: Edit) -> Fix:
        group = f"{self.code}-{context.source.span(tree).start}"
        return Fix(edits, Applicability.SAFE, group, early=True)

    def _unwrapped(
        self, context: Context, tree: ast.AST, edits: tuple[Edit, ...] | EditError
    ) -> Finding:
        if isinstance(edits, EditError):
            return context.finding(self, tree, _MESSAGE, None, str(edits))
        return context.finding(self, tree, _MESSAGE, self._fix(context, tree, *edits))

    def _asked(self, context: Context, tree: ast.expr) -> Iterator[Finding]:
        """``isinstance(x, Variable)``, ``type(x) == Variable``, ``x: Variable``."""
        torch = context.facts.torch
        if _asks_for_version(context, tree) or _asks_for_tensor_too(context, tree):
            return
        edit = ask_for(context.source, tree, f"{torch or 'torch'}.Tensor")
        if edit is not None:
            more = () if torch else import_torch(context.source)
            fix = self._fix(context, tree, edit, *more)
            yield context.finding(self, tree, "a `Variable` is just a tensor now", fix)

    def tidy(self, context: Context) -> Iterator[Finding]:
        """The import, which has no use any more."""
        for found in context.facts.old_imports:
            local = found.alias.asname or found.alias.name
            if found.name not in (_NAME, _MODULE) or found.reads or not found.sole:
                continue
            if not context.was_read(local):
                continue
            try:
                edit = without_import(context.source, found.statement, found.alias)
            except EditError:
                continue
            fix = self._fix(context, found.alias, edit)
            yield context.finding(self, found.alias, "this import is unused now", fix)


def _asks_for_version(context: Context, tree: ast.expr) -> bool:
    """``type(torch.Tensor()) == Variable`` asks which torch it is: what torch makes there tells
    nothing else."""
    match context.source.parent(tree):
        case ast.Compare(ast.Call(_, [ast.Call(made)])):
            belief = context.facts.beliefs.get(made)
            return belief is not None and belief.name.startswith("torch.")
    return False


def _asks_for_tensor_too(context: Context, tree: ast.expr) -> bool:
    """``elif isinstance(x, torch.Tensor):`` behind ``if isinstance(x, Variable):``, or both in one
    tuple: the answers would be the same twice, and a branch be dead; a person decides which."""
    call = context.source.parent(tree)
    if isinstance(call, ast.Tuple):
        if any(_is_tensor(context, item) for item in call.elts):
            return True
        call = context.source.parent(call)
    asked = _asked_about(call)
    questions = (n for test in _tests_beside(context, tree) for n in ast.walk(test))
    return asked is not None and any(
        _asked_about(other) == asked and any(_is_tensor(context, node) for node in ast.walk(other))
        for other in questions
        if isinstance(other, ast.Call) and other is not call
    )


def _asked_about(call: ast.AST | None) -> Path | None:
    """``x`` in ``isinstance(x, …)`` and ``torch.is_tensor(x)``."""
    return of_tree(call.args[0]) if isinstance(call, ast.Call) and call.args else None


def _is_tensor(context: Context, tree: ast.AST) -> bool:
    name = dotted(tree, context.source.once(origins)) if isinstance(tree, ast.expr) else ""
    return name in _TENSORS


def _tests_beside(context: Context, tree: ast.AST) -> Iterator[ast.expr]:
    """The tests of the chain of ``if`` and ``elif`` that a question is in, or its own statement."""
    statement = statement_of(context.source, tree)
    if not isinstance(statement, ast.If):
        yield from (n for n in ast.iter_child_nodes(statement) if isinstance(n, ast.expr))
        return
    above = context.source.parent(statement)
    while isinstance(above, ast.If) and above.orelse == [statement]:
        statement, above = above, context.source.parent(above)
    chain: ast.stmt | None = statement
    while isinstance(chain, ast.If):
        yield chain.test
        chain = chain.orelse[0] if len(chain.orelse) == 1 else None


def _with_volatile(context: Context) -> set[ast.AST]:
    """The statements that DFX602 rewrites with all that they wrap."""
    return {
        statement_of(context.source, w.call) for u in context.facts.ungraded for w in u.wrappings
    }


def _volatile_beside(context: Context, call: ast.Call) -> int:
    """The line of a volatile value in the same block that stays; 0 where there is none."""
    parents = context.facts.parents
    block = parents.get(statement_of(context.source, call))
    for found in context.facts.ungraded:
        for wrapping in found.wrappings if found.blocked else ():
            if parents.get(statement_of(context.source, wrapping.call)) is block:
                return wrapping.call.lineno
    return 0
