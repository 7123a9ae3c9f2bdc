"""A mask is inverted by subtracting it from 1.

## What it does
Rewrites ``1 - mask`` to ``~mask`` if the mask is definitely boolean, such as the result of a
comparison.

## Why
Before torch 1.2 comparisons returned uint8 tensors, which support arithmetic. Today they return
bool tensors, which cannot be subtracted: ``RuntimeError: Subtraction, the `-` operator, with a bool
tensor is not supported``.

## Example
```python
keep = 1 - (labels == 0)
```
becomes
```python
keep = ~(labels == 0)
```

## Fix safety
Safe: the subtraction raises. Masks that are or may be uint8 are left unchanged, and so is code
under a condition that checks the dtype: ``if mask.dtype == torch.bool: … else: 1 - mask``.

## References
- https://github.com/pytorch/pytorch/releases/tag/v1.2.0
- https://docs.pytorch.org/docs/stable/generated/torch.bitwise_not.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.edits import EditError, negate
from devicefix.findings import Applicability, Finding, Fix
from devicefix.flow import Belief, Sort


class MaskNegation(Codemod):
    """``1 - (x == y)``."""

    code = "DFX612"
    name = "mask-negation"
    local = True
    modernizes = True

    def check(self, context: Context) -> Iterator[Finding]:
        for tree in context.source.of_type(ast.BinOp):
            if not _is_from_one(tree):
                continue
            belief = context.facts.beliefs.get(tree.right, Belief())
            known = belief.sort is Sort.TENSOR and belief.dtype == "bool"
            if known and not _is_below_question(context, tree):
                yield self._finding(context, tree)

    def _finding(self, context: Context, tree: ast.BinOp) -> Finding:
        message = "boolean tensors cannot be subtracted"
        try:
            edits = negate(context.source, tree)
        except EditError as error:
            return context.finding(self, tree, message, None, str(error))
        group = f"{self.code}-{context.source.span(tree).start}"
        fix = Fix(edits, Applicability.SAFE, group, early=True)
        return context.finding(self, tree, message, fix)


def _is_from_one(tree: ast.BinOp) -> bool:
    """``1 - x``."""
    one = tree.left.value if isinstance(tree.left, ast.Constant) else None
    return isinstance(tree.op, ast.Sub) and type(one) is int and one == 1


def _is_below_question(context: Context, tree: ast.AST) -> bool:
    """Whether a condition around it asks for a dtype: it knows both."""
    child, parent = tree, context.source.parent(tree)
    while parent is not None:
        asked = isinstance(parent, (ast.If, ast.IfExp)) and child is not parent.test
        if asked and _asks_for_dtype(parent):
            return True
        child, parent = parent, context.source.parent(parent)
    return False


def _asks_for_dtype(tree: ast.AST) -> bool:
    test = tree.test if isinstance(tree, (ast.If, ast.IfExp)) else tree
    return any(isinstance(n, ast.Attribute) and n.attr == "dtype" for n in ast.walk(test))
