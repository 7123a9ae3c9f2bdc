"""A call to a ``torch.cuda`` function raises an error without CUDA.

## What it does
Finds ``torch.cuda.synchronize()``, ``set_device``, ``reset_peak_memory_stats`` and similar calls
without an availability check, and puts them under ``if torch.cuda.is_available():``. The same for
lines that print information about CUDA. ``with torch.cuda.device(0):`` is removed if 0 is the
current device anyway, and reported if it may not be. The name of a device becomes ``"cpu"`` without
CUDA, and a stream that is only synchronized with and used in ``with torch.cuda.stream(stream):``
becomes None. Calls whose result is used otherwise (``Event``, ``get_device_properties``) are
reported.

## Why
Without CUDA they raise ``AssertionError: Torch not compiled with CUDA enabled`` and others. Many
calls of ``torch.cuda`` do not: ``manual_seed``, ``empty_cache``, ``memory_allocated`` and
``device_count`` do nothing or return 0. They are left unchanged.

## Example
```python
torch.cuda.synchronize()
```
becomes
```python
if torch.cuda.is_available():
    torch.cuda.synchronize()
```

## Fix safety
Safe: nothing changes with CUDA, and without it the program failed at this line. A context is
removed only in a script that never sets another current device. With ``min-torch`` 2.6,
``torch.cuda.synchronize()`` becomes ``torch.accelerator.synchronize()``: the same on CUDA, and it
also waits for other accelerators.

## References
- https://docs.pytorch.org/docs/stable/cuda.html
- https://docs.pytorch.org/docs/stable/generated/torch.cuda.device.html
- https://docs.pytorch.org/docs/stable/accelerator.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.edits import (
    EditError,
    ask_first,
    cuda_question,
    instead,
    is_no_device,
    only_if,
    quoted,
    runs,
    waits,
    without_cuda,
)
from devicefix.findings import Applicability, Edit, Finding, Fix
from devicefix.flow import LibraryCall

_CONTEXT = frozenset({"torch.cuda.device"})
_PLACES = frozenset({"cuda", "to", "device"})


class CudaCall(Codemod):
    """``torch.cuda.synchronize()``."""

    code = "DFX206"
    name = "cuda-call"
    local = True
    ports = True

    def check(self, context: Context) -> Iterator[Finding]:
        below: dict[ast.stmt, LibraryCall] = {}
        for found in context.facts.library:
            statement = _statement_around(context, found.call)
            if found.guarded or _is_place(context, found):
                continue
            if found.names == _CONTEXT:
                yield from self._context(context, found)
            elif found.needs_cuda and statement is not None and not found.spread:
                below.setdefault(statement, found)
            elif found.needs_cuda and (other := instead(context.source, found)):
                yield self._value(context, found, other)
            elif found.needs_cuda:
                advice = "decide what the program does without CUDA"
                yield context.finding(self, found.call, _message(found), None, advice)
        for run in runs(context.source, below):
            yield from self._statements(context, [below[s] for s in run], run)

    def _statements(
        self, context: Context, calls: list[LibraryCall], statements: list[ast.stmt]
    ) -> Iterator[Finding]:
        """Statements that follow each other get one condition."""
        group = f"{self.code}-{context.source.span(statements[0]).start}"
        try:
            oldest = context.program.oldest_torch
            made = ask_first(context.source, context.facts, oldest, calls, statements)
        except EditError as error:
            for found in calls:
                yield context.finding(self, found.call, _message(found), None, str(error))
            return
        for found, edits in zip(calls, made, strict=True):
            yield self._finding(context, found, edits, group)

    def _context(self, context: Context, found: LibraryCall) -> Iterator[Finding]:
        if is_no_device(found.call):
            return
        group = f"{self.code}-{context.source.span(found.call).start}"
        try:
            edits = without_cuda(context.source, context.facts, found)
        except EditError as error:
            yield context.finding(self, found.call, _message(found), None, str(error))
            return
        yield self._finding(context, found, edits, group)

    def _value(self, context: Context, found: LibraryCall, other: str) -> Finding:
        question = cuda_question(context.source, context.facts, found)
        edits = (only_if(context.source, found.call, question, quoted(context.source, other)),)
        group = f"{self.code}-{context.source.span(found.call).start}"
        return self._finding(context, found, edits, group)

    def _finding(
        self, context: Context, found: LibraryCall, edits: tuple[Edit, ...], group: str
    ) -> Finding:
        fix = Fix(edits, Applicability.SAFE, group)
        return context.finding(self, found.call, _message(found), fix)


def _message(found: LibraryCall) -> str:
    return f"`{min(found.names)}` raises an error without CUDA"


def _statement_around(context: Context, call: ast.Call) -> ast.stmt | None:
    """The statement that is nothing but the call, prints what it gives, or has streams wait."""
    tree: ast.AST = call
    parent = context.facts.parents.get(tree)
    while isinstance(parent, (ast.expr, ast.keyword)):
        tree, parent = parent, context.facts.parents.get(parent)
    if not isinstance(parent, ast.Expr):
        return None
    printed = isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name)
    told = printed and isinstance(tree, ast.Call) and ast.unparse(tree.func) == "print"
    return parent if tree is call or told or waits(parent.value, call) else None


def _is_place(context: Context, found: LibraryCall) -> bool:
    """``x.cuda(torch.cuda.current_device())``: that is a device, and DFX208's."""
    parent = context.facts.parents.get(found.call)
    if isinstance(parent, ast.keyword):
        return parent.arg in ("device", "map_location")
    func = parent.func if isinstance(parent, ast.Call) else None
    return isinstance(func, ast.Attribute) and func.attr in _PLACES and found.names != _CONTEXT
