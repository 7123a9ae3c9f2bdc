"""A tensor that has to be on the device is made by a type of the host.

## What it does
Where ``torch.FloatTensor(...)`` makes a tensor that has to be moved at once, it becomes a factory
that can be told the device: sizes go to ``torch.empty`` (``torch.zeros`` where ``.zero_()``
follows), lists and arrays to ``torch.tensor``, with the dtype of the type. The
transfer is then ``device=`` (DFX103).

## Why
The types of the host make tensors there and nowhere else; they take sizes or data, and which one it
is does not show.

## Example
```python
counts = torch.LongTensor(batch_size, 3).zero_()
weights = torch.FloatTensor([0.4, 0.6])
```
becomes
```python
counts = torch.zeros(batch_size, 3, dtype=torch.int64, device=device)
weights = torch.tensor([0.4, 0.6], device=device)
```

## Fix safety
Safe: the same values in the same type. Where the one argument may be a size as well as data, or a
tensor, the call stays, and so it does where nothing has to be moved: the types still work. What
``torch.empty`` holds is as accidental as what the type made.

## References
- https://docs.pytorch.org/docs/stable/tensors.html
- https://docs.pytorch.org/docs/stable/generated/torch.empty.html
- https://docs.pytorch.org/docs/stable/generated/torch.tensor.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.edits import EditError, add_keyword, remove_method, replace_expression
from devicefix.findings import Applicability, Edit, Finding, Fix
from devicefix.flow import Belief, Sort, Transfer
from devicefix.torch_api import LEGACY_CONSTRUCTORS

_SIZE = frozenset({"size"})
_WHOLE = (Sort.NUMBER, Sort.PLAIN)


class LegacyConstructor(Codemod):
    """``torch.FloatTensor(2, 3)``."""

    code = "DFX605"
    name = "legacy-constructor"
    local = True

    def check(self, context: Context) -> Iterator[Finding]:
        for transfer in context.facts.transfers:
            found = _made_by_type(context, transfer)
            kind = _kind(context, found) if found is not None else ""
            if found is None or not kind or not context.facts.torch:
                continue
            try:
                edits = _edits(context, found, kind)
            except EditError:
                continue  # the transfer is written behind it
            message = f"`{ast.unparse(found.func)}` makes tensors of the host alone"
            group = f"{self.code}-{context.source.span(found).start}"
            fix = Fix(edits, Applicability.SAFE, group, early=True)
            yield context.finding(self, found, message, fix)


def _made_by_type(context: Context, transfer: Transfer) -> ast.Call | None:
    """The call of a type at the start of what is moved: ``torch.LongTensor(3).zero_()``."""
    tree: ast.AST = transfer.tree
    if transfer.keyword or transfer.device is None or transfer.blocked or transfer.unsafe:
        return None
    while isinstance(tree, ast.Call) and not _row(context, tree):
        tree = tree.func.value if isinstance(tree.func, ast.Attribute) else tree.func
    return tree if isinstance(tree, ast.Call) and not tree.keywords else None


def _row(context: Context, call: ast.Call) -> bool:
    row = LEGACY_CONSTRUCTORS.get(_belief(context, call.func).name)
    return row is not None and row.device == "cpu"


def _belief(context: Context, tree: ast.expr) -> Belief:
    return context.facts.beliefs.get(tree, Belief())


def _kind(context: Context, call: ast.Call) -> str:
    """``sizes`` or ``data``; empty where that is not known."""
    if call not in context.facts.typed or any(isinstance(a, ast.Starred) for a in call.args):
        return ""
    sorts = [_belief(context, a).sort for a in call.args]
    if len(sorts) != 1:
        return "sizes" if all(sort in _WHOLE for sort in sorts) else ""
    (argument,) = call.args
    if _is_size(argument) or (isinstance(argument, ast.Constant) and sorts == [Sort.NUMBER]):
        return "sizes"
    written = isinstance(argument, (ast.List, ast.ListComp)) or sorts == [Sort.ARRAY]
    return "data" if written else ""


def _is_size(tree: ast.expr) -> bool:
    """``len(x)``, ``x.size()``, ``x.size(0)``, ``x.shape``, ``x.shape[0]``."""
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name):
        return tree.func.id == "len"
    if isinstance(tree, ast.Subscript):
        return not isinstance(tree.slice, ast.Slice) and _is_size(tree.value)
    if isinstance(tree, ast.Call):
        return isinstance(tree.func, ast.Attribute) and tree.func.attr in _SIZE
    return False


def _written_dtype(tree: ast.expr) -> str:
    """What ``torch.tensor`` makes of a list of numbers; empty for what is not written out."""
    if isinstance(tree, ast.List):
        kinds = {_written_dtype(element) for element in tree.elts}
        return kinds.pop() if len(kinds) == 1 else ""
    value = tree.operand if isinstance(tree, ast.UnaryOp) else tree
    kind = type(value.value) if isinstance(value, ast.Constant) else None
    return "float32" if kind is float else "int64" if kind is int else ""


def _edits(context: Context, call: ast.Call, kind: str) -> tuple[Edit, ...]:
    source, torch = context.source, context.facts.torch
    dtype = LEGACY_CONSTRUCTORS[_belief(context, call.func).name].dtype
    above = context.facts.parents.get(call)
    zeroed = context.facts.parents.get(above) if isinstance(above, ast.Attribute) else None
    emptied = kind == "sizes" and isinstance(zeroed, ast.Call) and not zeroed.args
    emptied = emptied and isinstance(above, ast.Attribute) and above.attr == "zero_"
    name = "tensor" if kind == "data" else "zeros" if emptied else "empty"
    edits = [replace_expression(source, call.func, f"{torch}.{name}")]
    if emptied and isinstance(zeroed, ast.Call):
        edits.append(remove_method(source, zeroed))
    if dtype == "default":
        dtype = "float32" if kind == "data" else ""
    if not call.args:
        raise EditError("a tensor of no size")
    told = dtype == "float32" if kind == "sizes" else dtype == _written_dtype(call.args[0])
    if dtype and not told:
        edits.append(add_keyword(source, call, "dtype", f"{torch}.{dtype}"))
    return tuple(edits)
