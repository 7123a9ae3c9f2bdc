"""A 0-dim tensor is indexed to get its number.

## What it does
Rewrites ``loss.data[0]`` to ``loss.item()`` where the tensor definitely has no dimension: losses,
sums, means, and values computed from them. The same for ``loss[0]``, ``loss.data.cpu()[0]`` and
``loss.data.cpu().numpy()[0]``.

## Why
Losses and sums have no dimension since torch 0.4: ``IndexError: invalid index of a 0-dim tensor.
Use tensor.item() …``.

## Example
```python
total += loss.data[0]
print("%.4f" % F.nll_loss(output, target).data[0])
```
becomes
```python
total += loss.item()
print("%.4f" % F.nll_loss(output, target).item())
```

## Fix safety
Safe: the index raises. ``.data[0]`` of a tensor that may have dimensions is left unchanged, because
it may select a row. Unsafe if it is only known that the program calls ``backward()`` on the tensor:
it then has one element, but may have a dimension of length 1, where the index gives a tensor
instead of a number.

## References
- https://pytorch.org/blog/pytorch-0_4_0-migration-guide/#accumulating-losses
- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.item.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.edits import EditError, read_item
from devicefix.findings import Applicability, Finding, Fix
from devicefix.flow import Belief, Sort
from devicefix.flow.old_losses import function_around, is_first, learns
from devicefix.flow.questions import base_of

_NOT_SEEN = "its number of dimensions is unknown: indexing works if it is 1-D of length 1"


class DataIndex(Codemod):
    """``loss.data[0]``."""

    code = "DFX603"
    name = "data-index"
    local = True
    modernizes = True

    def check(self, context: Context) -> Iterator[Finding]:
        for tree in context.source.of_type(ast.Subscript):
            if is_first(tree) and not _is_tried(context, tree):
                base = base_of(tree.value)
                belief = context.facts.beliefs.get(base, Belief())
                data = base is not tree.value  # nothing but a tensor has it
                sure = belief.sort is Sort.TENSOR or data
                if belief.scalar and (sure or _adds_up(context, base)):
                    yield self._finding(context, tree, base)
                elif data and learns(context.facts, tree):
                    yield self._finding(context, tree, base, _NOT_SEEN)

    def _finding(
        self, context: Context, tree: ast.Subscript, base: ast.expr, doubt: str = ""
    ) -> Finding:
        message = "a 0-dim tensor cannot be indexed with `[0]`"
        sure = Applicability.UNSAFE if doubt else Applicability.SAFE
        try:
            edits = read_item(context.source, tree, base)
        except EditError as error:
            return context.finding(self, tree, message, None, str(error))
        group = f"{self.code}-{context.source.span(tree).end}"
        return context.finding(self, tree, message, Fix(edits, sure, group, early=True), doubt)


def _is_tried(context: Context, tree: ast.AST) -> bool:
    """``try: loss.data[0]`` with ``except IndexError:``: the program finds out by itself."""
    child, parent = tree, context.facts.parents.get(tree)
    while parent is not None and not isinstance(parent, (ast.FunctionDef, ast.Module)):
        if isinstance(parent, ast.Try) and child in parent.body:
            caught = [n for h in parent.handlers for n in ast.walk(h.type or ast.Name("Exception"))]
            names = {n.id for n in caught if isinstance(n, ast.Name)}
            if names & {"BaseException", "Exception", "IndexError", "LookupError"}:
                return True
        child, parent = parent, context.facts.parents.get(parent)
    return False


def _adds_up(context: Context, base: ast.expr) -> bool:
    """``total = 0``, then ``total += loss``: neither a number nor such a tensor has items."""
    scope = function_around(context.facts, base)
    if not isinstance(base, ast.Name):
        return False
    bound = [n for n in ast.walk(scope) if isinstance(n, ast.Name) and n.id == base.id]
    holders = [context.facts.parents.get(n) for n in bound if isinstance(n.ctx, ast.Store)]
    return all(_is_sum(holder) for holder in holders)


def _is_sum(holder: ast.AST | None) -> bool:
    if isinstance(holder, ast.Assign):
        return isinstance(holder.value, ast.Constant) and holder.value.value == 0
    return isinstance(holder, ast.AugAssign)
