"""The comparison of a transposed tensor is reshaped by `view`.

## What it does
Rewrites ``correct[:k].view(-1)`` to ``correct[:k].reshape(-1)`` where ``correct`` is a comparison
of a tensor that was transposed.

## Why
Before torch 1.7 a comparison returned a contiguous tensor. Since then it keeps the memory layout of
its operands, so the comparison of a transposed tensor cannot be viewed as one dimension:
``RuntimeError: view size is not compatible with input tensor's size and stride … Use .reshape(...)
instead``.

## Example
```python
pred = pred.t()
correct = pred.eq(target.view(1, -1).expand_as(pred))
correct_k = correct[:5].view(-1).float().sum(0)
```
becomes
```python
pred = pred.t()
correct = pred.eq(target.view(1, -1).expand_as(pred))
correct_k = correct[:5].reshape(-1).float().sum(0)
```

## Fix safety
Safe: ``reshape`` is the same as ``view`` if that works, and copies if it would raise.

## References
- https://github.com/pytorch/examples/issues/836
- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.reshape.html
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TypeGuard

from devicefix.codemod import Codemod, Context
from devicefix.edits import EditError, replace_method
from devicefix.findings import Applicability, Finding, Fix
from devicefix.flow.scopes import FUNCTIONS
from devicefix.source import Source
from devicefix.source.parsing import Parents

_MESSAGE = "the comparison of a transposed tensor is not contiguous: `view` fails"
_COMPARISONS = frozenset({"eq", "ne", "gt", "lt", "ge", "le"})
_TURNS = frozenset({"t", "transpose", "permute"})


class TransposedView(Codemod):
    """``pred.t().eq(target).view(-1)``."""

    code = "DFX615"
    name = "transposed-view"
    local = True

    def check(self, context: Context) -> Iterator[Finding]:
        if _TURNS.isdisjoint(context.source.attributes):
            return
        for tree in context.source.of_type(ast.Call):
            if not _is_method(tree, {"view"}) or tree.keywords or not tree.args:
                continue
            viewed = _method_of(tree)
            if isinstance(viewed, ast.Subscript):
                viewed = viewed.value
            if isinstance(viewed, ast.Name) and _is_compared(context, viewed):
                yield self._finding(context, tree)

    def _finding(self, context: Context, tree: ast.Call) -> Finding:
        given = ", ".join(context.source.segment(a) for a in tree.args)
        try:
            edit = replace_method(context.source, tree, f"reshape({given})")
        except EditError as error:
            return context.finding(self, tree, _MESSAGE, None, str(error))
        group = f"{self.code}-{context.source.span(tree).end}"
        fix = Fix((edit,), Applicability.SAFE, group, early=True)
        return context.finding(self, tree, _MESSAGE, fix)


def _is_method(tree: ast.AST, names: Collection[str]) -> TypeGuard[ast.Call]:
    """``x.view(…)``."""
    method = isinstance(tree, ast.Call) and isinstance(tree.func, ast.Attribute)
    return method and _name_of(tree) in names


def _name_of(tree: ast.AST) -> str:
    func = tree.func if isinstance(tree, ast.Call) else None
    return func.attr if isinstance(func, ast.Attribute) else ""


def _method_of(tree: ast.Call) -> ast.expr:
    """``x`` of ``x.view(-1)``."""
    return tree.func.value if isinstance(tree.func, ast.Attribute) else tree.func


def _is_compared(context: Context, name: ast.Name) -> bool:
    """Whether the name is nothing but a comparison of what was transposed."""
    values = _bound(context, name)
    if len(values) != 1 or values[0] is None:
        return False
    value = values[0]
    first = _method_of(value) if _is_method(value, _COMPARISONS) else None
    if isinstance(value, ast.Compare):
        first = value.left
    if isinstance(first, ast.Name):
        start = context.source.span(value).start
        bound = _bound(context, first)
        before = [b for b in bound if b is None or context.source.span(b).start < start]
        first = before[-1] if before else None
    return first is not None and _is_method(first, _TURNS)


def _bound(context: Context, name: ast.Name) -> list[ast.expr | None]:
    """What is bound to a name in its function, in the order of the text; None: not seen."""
    scope: ast.AST | None = name
    while scope is not None and not isinstance(scope, (*FUNCTIONS, ast.Module)):
        scope = context.facts.parents.get(scope)
    found: list[tuple[int, ast.expr | None]] = []
    for node in context.source.once(_stored).get(name.id, ()):
        if scope is None or _is_in(node, scope):
            above = context.facts.parents.get(node)
            value = above.value if isinstance(above, ast.Assign) else None
            found.append((context.source.span(node).start, value))
    return [value for _, value in sorted(found, key=lambda pair: pair[0])]


def _stored(source: Source) -> Mapping[str, Sequence[ast.Name]]:
    """Where a file binds each name, other than by a parameter, a definition or an import."""
    found: defaultdict[str, list[ast.Name]] = defaultdict(list)
    for name in source.of_type(ast.Name):
        if isinstance(name.ctx, ast.Store):
            found[name.id].append(name)
    return found


def _is_in(node: ast.AST, scope: ast.AST) -> bool:
    above: ast.AST | None = node
    while above is not None and above is not scope:
        above = Parents().get(above)
    return above is scope
