"""A loss uses ``size_average`` and ``reduce`` instead of ``reduction``.

## What it does
Rewrites ``size_average=`` and ``reduce=`` to ``reduction="mean"``, ``"sum"`` or ``"none"``: in loss
modules and loss functions, by keyword or by position. A flag that the program computes becomes
``reduction="mean" if flag else "sum"``. ``criterion.size_average = False`` on a loss of torch is
reported.

## Why
Both have been deprecated since torch 0.4.1, warn, and will be removed. Assigned to a loss that was
created before, they have had no effect since then, without a warning: the loss keeps its
``reduction``, which is ``"mean"`` by default.

## Example
```python
criterion = nn.MSELoss(size_average=False)
loss = F.cross_entropy(scores, labels, reduce=False)
```
becomes
```python
criterion = nn.MSELoss(reduction="sum")
loss = F.cross_entropy(scores, labels, reduction="none")
```

## Fix safety
Safe if both are literals (torch itself converts them in the same way), or if the flag is definitely
true or false (None would mean true) and is not an argument or attribute that callers may set. If
``reduction=`` is also given, or the flag may be anything, it needs your decision. So does an
assignment to a loss: what was meant would change the results, and today's results may be wanted.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.nn.MSELoss.html
- https://github.com/pytorch/pytorch/blob/v2.9.0/torch/nn/_reduction.py
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from devicefix.codemod import Codemod, Context
from devicefix.edits import EditError, quoted, remove_keyword, replace_argument
from devicefix.findings import Applicability, Edit, Finding, Fix
from devicefix.flow import Belief, Sort
from devicefix.torch_api import OLD_REDUCTION, REDUCTIONS


class LossReduction(Codemod):
    """``nn.MSELoss(size_average=False)``."""

    code = "DFX608"
    name = "loss-reduction"
    local = True
    modernizes = True

    def check(self, context: Context) -> Iterator[Finding]:
        for tree, belief in context.facts.beliefs.items():
            call = context.facts.parents.get(tree)
            known = belief.name in REDUCTIONS and isinstance(call, ast.Call) and call.func is tree
            if known and isinstance(call, ast.Call) and (told := _given(call, belief.name)):
                yield self._finding(context, call, told)
            elif belief.layer in REDUCTIONS and _is_assigned(call):
                yield self._of_assignment(context, call)

    def _finding(self, context: Context, call: ast.Call, told: dict[str, ast.expr]) -> Finding:
        message = f"`{next(iter(told))}` was replaced by `reduction` in torch 0.4.1"
        try:
            edits = _edits(context, call, told)
        except EditError as error:
            return context.finding(self, call, message, None, str(error))
        group = f"{self.code}-{context.source.span(call).end}"
        return context.finding(
            self, call, message, Fix(edits, Applicability.SAFE, group, early=True)
        )

    def _of_assignment(self, context: Context, target: ast.Attribute) -> Finding:
        """``criterion.size_average = False``, which nothing reads."""
        message = f"since 0.4.1, torch ignores `{target.attr}` if it is set on an existing loss"
        loss = context.source.segment(target.value)
        instead = "setting that instead would change the results"
        advice = f"only `{loss}.reduction` takes effect; {instead}"
        return context.finding(self, target, message, None, advice)


def _is_assigned(tree: ast.AST | None) -> TypeGuard[ast.Attribute]:
    if not isinstance(tree, ast.Attribute) or tree.attr not in OLD_REDUCTION:
        return False
    return isinstance(tree.ctx, ast.Store)


def _given(call: ast.Call, name: str) -> dict[str, ast.expr]:
    """What the call says, in the order in which it is written."""
    place = REDUCTIONS[name]
    # `ignore_index`, `beta` or `eps` stand between the two in some losses
    by_position = dict(enumerate(call.args))
    told = {"size_average": by_position[place]} if place in by_position else {}
    return told | {k.arg: k.value for k in call.keywords if k.arg in OLD_REDUCTION}


def _edits(context: Context, call: ast.Call, told: dict[str, ast.expr]) -> tuple[Edit, ...]:
    if any(k.arg in ("reduction", None) for k in call.keywords):
        raise EditError("`reduction` is also given, or may be")
    if any(isinstance(a, ast.Starred) for a in call.args):
        raise EditError("unpacked arguments may contain anything")
    text = _reduction(context, told)
    first, *rest = told
    if told[first] in call.args and call.args[-1] is not told[first]:
        raise EditError("positional arguments follow it")
    edits = [replace_argument(context.source, call, told[first], f"reduction={text}")]
    edits += [remove_keyword(context.source, call, name) for name in rest]
    return tuple(edits)


def _reduction(context: Context, told: dict[str, ast.expr]) -> str:
    """What torch makes of the two; ``torch.nn._reduction.legacy_get_string``."""
    reduce, average = told.get("reduce"), told.get("size_average")
    none, total, mean = (quoted(context.source, f'"{s}"') for s in ("none", "sum", "mean"))
    if isinstance(reduce, ast.Constant) and reduce.value is False:
        return none
    if reduce is not None and not isinstance(reduce, ast.Constant):
        raise EditError("the value of `reduce` is unknown")
    if average is None or isinstance(average, ast.Constant):
        gone = isinstance(average, ast.Constant) and average.value is False
        return total if gone else mean
    sort = context.facts.beliefs.get(average, Belief()).sort
    if sort is not Sort.NUMBER or _may_be_given(context, average):
        raise EditError("the value of `size_average` is unknown (None means true)")
    return f"{mean} if {context.source.segment(average)} else {total}"


def _may_be_given(context: Context, flag: ast.expr) -> bool:
    """Whether it is set by callers, and all callers need not have been seen."""
    if not isinstance(flag, ast.Name):
        return isinstance(flag, (ast.Attribute, ast.Subscript))
    above = context.facts.parents.get(flag)
    while above is not None:
        if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            given = (n.arg for n in ast.walk(above.args) if isinstance(n, ast.arg))
            if flag.id in given:
                return True
        above = context.facts.parents.get(above)
    return False
