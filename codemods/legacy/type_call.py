"""A cast to a CPU tensor type moves a tensor off the device on which it is needed.

## What it does
Rewrites ``x.type(torch.FloatTensor)`` to ``x.float()`` if ``x`` is on the device and the result is
used there; likewise for the other CPU types, also given as strings.

## Why
``torch.FloatTensor`` is a *CPU* type: a cast that was written for the CPU moves a tensor off its
device, and operations with it there fail. ``x.float()`` stays on the device of ``x``.

## Example
```python
mask = (scores > 0).type(torch.FloatTensor)
loss = (scores * mask).sum()
```
becomes
```python
mask = (scores > 0).float()
loss = (scores * mask).sum()
```

## Fix safety
Safe: it combines the cast with the move back to the device, and is applied only if that move is
needed and safe. If the result is used on the CPU, or its uses are unknown, the call is left
unchanged, because it moves the tensor there. So is ``x.type(kind)`` with a variable.
``x.type(torch.cuda.FloatTensor)`` is covered by DFX202.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.type.html
- https://docs.pytorch.org/docs/stable/tensors.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.edits import EditError, replace_method
from devicefix.findings import Applicability, Finding, Fix
from devicefix.flow import Belief, Sort
from devicefix.torch_api import LEGACY_CONSTRUCTORS

_CASTS = {
    "bfloat16": "bfloat16",
    "bool": "bool",
    "float16": "half",
    "float32": "float",
    "float64": "double",
    "int16": "short",
    "int32": "int",
    "int64": "long",
    "int8": "char",
    "uint8": "byte",
}


class TypeCall(Codemod):
    """``x.type(torch.FloatTensor)``."""

    code = "DFX610"
    name = "type-call"
    local = True

    def check(self, context: Context) -> Iterator[Finding]:
        calls = context.source.of_type(ast.Call) if "type" in context.source.attributes else ()
        for call in calls:
            if cast := _cast(context, call):
                yield from self._finding(context, call, cast)

    def _finding(self, context: Context, call: ast.Call, cast: str) -> Iterator[Finding]:
        message = "casting to a CPU tensor type moves the tensor to the CPU"
        if not _comes_back(context, call):
            return
        try:
            edit = replace_method(context.source, call, f"{cast}()")
        except EditError as error:
            yield context.finding(self, call, message, None, str(error))
            return
        group = f"{self.code}-{context.source.span(call).end}"
        yield context.finding(
            self, call, message, Fix((edit,), Applicability.SAFE, group, early=True)
        )


def _comes_back(context: Context, call: ast.Call) -> bool:
    """Whether it takes a tensor off the device and the result has to go there at once."""
    receiver = call.func.value if isinstance(call.func, ast.Attribute) else call
    belief = context.facts.beliefs.get(receiver, Belief())
    if belief.sort is not Sort.TENSOR or not belief.on_device:
        return False
    moves = (t for t in context.facts.transfers if call in (t.tree, _bound(t.tree)))
    return any(t.device is not None and not (t.blocked or t.unsafe) for t in moves)


def _bound(tree: ast.AST) -> ast.AST | None:
    """What a statement binds a name to: the name is moved after it."""
    match tree:
        case ast.Assign(targets=[ast.Name()], value=value):
            return value
    return None


def _cast(context: Context, call: ast.Call) -> str:
    """The method that casts as this call does; empty for other calls, and for names.

    A name for a type is changed where it is defined.
    """
    func = call.func
    if not (isinstance(func, ast.Attribute) and func.attr == "type" and len(call.args) == 1):
        return ""
    if call.keywords:
        return ""
    given = call.args[0]
    imported = {read for i in context.facts.old_imports if i.sole for read in i.reads}
    if isinstance(given, ast.Name) and given not in imported:
        return ""
    name = context.facts.beliefs.get(given, Belief()).name
    if isinstance(given, ast.Constant) and isinstance(given.value, str):
        name = given.value
    row = LEGACY_CONSTRUCTORS.get(name)
    # `torch.Tensor` is what the default is
    return _CASTS.get(row.dtype, "") if row is not None and row.device == "cpu" else ""
