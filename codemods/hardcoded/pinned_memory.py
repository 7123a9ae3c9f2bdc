"""Pinned memory is asked for without a check that there is CUDA.

## What it does
Finds ``x.pin_memory()`` on tensors, and ``pin_memory=True`` of factories (``torch.empty``,
``torch.zeros``, ``torch.tensor`` …), without an availability check. They become conditional on
``torch.cuda.is_available()``; without CUDA the tensor stays as it is. A tensor that is pinned where
it is created is assigned to its variable first, or gets ``pin_memory=`` if torch creates it. If it
has no variable (``return make().pin_memory()``), it is reported. ``x.pin_memory().to(device)``
becomes ``x.to(device)``: the transfer blocks, so pinning has no advantage.

## Why
On a machine without an accelerator both raise: ``RuntimeError: Cannot access accelerator device
when none is available.``, in older torch ``Cannot initialize CUDA``. ``DataLoader(...,
pin_memory=True)`` only warns there; it is left unchanged.

## Example
```python
x = x.pin_memory()
y = y.pin_memory().to(device, non_blocking=True)
buffer = torch.empty(3, pin_memory=True)
```
becomes
```python
if torch.cuda.is_available():
    x = x.pin_memory()
y = (y.pin_memory() if torch.cuda.is_available() else y).to(device, non_blocking=True)
buffer = torch.empty(3, pin_memory=torch.cuda.is_available())
```

## Fix safety
Safe: nothing changes with CUDA, and without an accelerator the program failed at this line. With
another accelerator, only a copy takes longer. A ``pin_memory`` method of the program's own classes
is left unchanged, and so is a call on a value of unknown type.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.pin_memory.html
- https://docs.pytorch.org/docs/stable/notes/cuda.html#use-pinned-memory-buffers
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.edits import (
    EditError,
    add_keyword,
    cuda_question,
    pin_if,
    pins_itself,
    put_below,
    remove_method,
    replace_expression,
    runs,
    statement_of,
)
from devicefix.findings import Applicability, Edit, Finding, Fix

_MESSAGE = "pinning memory raises an error without an accelerator"


class PinnedMemory(Codemod):
    """``x.pin_memory()``."""

    code = "DFX217"
    name = "pinned-without-cuda"
    ports = True

    def check(self, context: Context) -> Iterator[Finding]:
        below: dict[ast.stmt, ast.expr] = {}
        for tree in context.facts.pinned:
            if _is_all(context, tree):
                below[statement_of(context.source, tree)] = tree
            else:
                yield self._value(context, tree)
        for run in runs(context.source, below):
            yield from self._statements(context, [below[s] for s in run], run)

    def _statements(
        self, context: Context, pinned: list[ast.expr], statements: list[ast.stmt]
    ) -> Iterator[Finding]:
        """Statements that follow each other get one condition."""
        try:
            question = cuda_question(context.source, context.facts)
            made = put_below(context.source, statements, question)
        except EditError as error:
            for tree in pinned:
                yield context.finding(self, tree, _MESSAGE, None, str(error))
            return
        for tree, edits in zip(pinned, made, strict=True):
            yield self._finding(context, tree, edits, statements[0])

    def _value(self, context: Context, tree: ast.expr) -> Finding:
        try:
            edits = _edits(context, tree, cuda_question(context.source, context.facts))
            statement = statement_of(context.source, tree)
        except EditError as error:
            return context.finding(self, tree, _MESSAGE, None, str(error))
        return self._finding(context, tree, edits, statement)

    def _finding(
        self, context: Context, tree: ast.expr, edits: tuple[Edit, ...], first: ast.stmt
    ) -> Finding:
        group = f"{self.code}-{context.source.statement_span(first).start}"
        return context.finding(self, tree, _MESSAGE, Fix(edits, Applicability.SAFE, group))


def _edits(context: Context, tree: ast.expr, question: str) -> tuple[Edit, ...]:
    source = context.source
    if not isinstance(tree, ast.Call):
        return (replace_expression(source, tree, question),)
    if _gains_nothing(context, tree):
        return (remove_method(source, tree),)
    made = tree.func.value if isinstance(tree.func, ast.Attribute) else None
    if isinstance(made, ast.Call) and made in context.facts.exact:
        return (add_keyword(source, made, "pin_memory", question), remove_method(source, tree))
    return pin_if(source, tree, question)


def _gains_nothing(context: Context, tree: ast.Call) -> bool:
    """``x.pin_memory().to(device)``: what waits for the transfer anyway, and keeps nothing else."""
    method = context.facts.parents.get(tree)
    call = context.facts.parents.get(method) if method is not None else None
    seen = context.facts.calls.get(call) if isinstance(call, ast.Call) else None
    if seen is None or seen.call.func is not method or not seen.only_moves:
        return False
    waits = all(k.arg == "device" for k in seen.call.keywords)
    return waits and len(seen.call.args) + len(seen.call.keywords) <= 1


def _is_all(context: Context, tree: ast.expr) -> bool:
    """Whether a statement does nothing else; what is moved as well has to be moved anyhow."""
    moved = any(transfer.tree is tree for transfer in context.facts.transfers)
    return isinstance(tree, ast.Call) and pins_itself(context.source, tree) and not moved
