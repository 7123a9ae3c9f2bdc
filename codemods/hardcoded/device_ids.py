"""Work is distributed over accelerators with hard-coded device indices.

## What it does
Finds ``DistributedDataParallel`` with ``device_ids=`` or ``output_device=``, without an
availability check; they become None without CUDA. ``data_parallel``, ``replicate``, ``scatter``,
``gather`` and ``parallel_apply`` of ``torch.nn.parallel`` are reported.

## Why
``DistributedDataParallel`` refuses them for a module on the CPU: ``ValueError:
DistributedDataParallel device_ids and output_device arguments only work with
single-device/multiple-device GPU modules or CPU modules``. The functions raise where there is no
accelerator. ``DataParallel`` does not: whatever its ``device_ids``, without an accelerator it calls
the module itself. It is left unchanged.

## Example
```python
model = DistributedDataParallel(model, device_ids=[rank])
```
becomes
```python
model = DistributedDataParallel(model, device_ids=[rank] if torch.cuda.is_available() else None)
```
Where the program has a device, that is asked: ``if device.type == "cuda"``.

## Fix safety
Safe: nothing changes with CUDA. A program that uses NCCL, or that places other things by the same
number (``model.to(rank)``), needs CUDA for more than that and needs your decision.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html
- https://docs.pytorch.org/docs/stable/generated/torch.nn.DataParallel.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.edits import (
    EditError,
    cuda_question,
    define_device,
    names_type,
    only_if,
    quoted,
)
from devicefix.findings import Applicability, Edit, Finding, Fix
from devicefix.flow import LibraryCall

_SPREADS = frozenset({"torch.nn.parallel.DistributedDataParallel"})
_FUNCTIONS = frozenset(
    f"torch.nn.parallel.{name}"
    for name in ("data_parallel", "gather", "parallel_apply", "replicate", "scatter")
)
_NUMBERS = ("device_ids", "output_device")


class DeviceIds(Codemod):
    """``DistributedDataParallel(model, device_ids=[rank])``."""

    code = "DFX209"
    name = "device-ids"
    local = True
    ports = True

    def check(self, context: Context) -> Iterator[Finding]:
        for found in context.facts.library:
            if found.guarded:
                continue
            if found.names <= _FUNCTIONS:
                message = f"`{min(found.names)}` needs an accelerator"
                advice = "call the module directly if there is none"
                yield context.finding(self, found.call, message, None, advice)
            elif found.names == _SPREADS and (given := _given(found)):
                yield self._finding(context, found, given)

    def _finding(self, context: Context, found: LibraryCall, given: list[ast.expr]) -> Finding:
        message = "`DistributedDataParallel` accepts no `device_ids` on the CPU"
        try:
            edits = _edits(context, found, given)
        except EditError as error:
            return context.finding(self, found.call, message, None, str(error))
        group = f"{self.code}-{context.source.span(found.call).end}"
        return context.finding(self, found.call, message, Fix(edits, Applicability.SAFE, group))


def _given(found: LibraryCall) -> list[ast.expr]:
    """The numbers of devices that are never None; the program decides about the others."""
    call = found.call
    given = [*call.args[1:3], *(k.value for k in call.keywords if k.arg in _NUMBERS)]
    return [g for g in given if not (g in found.missing or _may_be_none(g))]


def _may_be_none(tree: ast.expr) -> bool:
    """Where it asks for CUDA, what the other branch gives has no value to tell of."""
    if isinstance(tree, ast.IfExp):
        return _may_be_none(tree.body) or _may_be_none(tree.orelse)
    return isinstance(tree, ast.Constant) and tree.value is None


def _edits(context: Context, found: LibraryCall, given: list[ast.expr]) -> tuple[Edit, ...]:
    if any(_talks_over_nccl(call) for call in context.facts.library):
        raise EditError("the program uses NCCL, which needs CUDA")
    if any(isinstance(g, ast.Starred) for g in given):
        raise EditError("unpacked arguments may contain anything")
    if any(_places(context, number) for numbers in given for number in _each(numbers)):
        raise EditError("the program also uses this number to place other things")
    source, facts, device = context.source, context.facts, found.device
    defined: tuple[Edit, ...] = ()
    if device is not None and names_type(facts, context.settings, device):
        question = quoted(source, f'{device.text}.type == "cuda"')
        defined = define_device(source, facts, context.settings, device)
    else:
        question = cuda_question(source, facts, found)
    return (*(only_if(source, numbers, question, "None") for numbers in given), *defined)


def _each(numbers: ast.expr) -> list[ast.expr]:
    return numbers.elts if isinstance(numbers, (ast.List, ast.Tuple)) else [numbers]


def _places(context: Context, number: ast.expr) -> bool:
    """``model.to(rank)``, ``x.cuda(rank)`` or ``f"cuda:{rank}"``, which stay and need CUDA."""
    text = ast.unparse(number)
    for seen in context.facts.calls.values():
        given = [*seen.call.args, *(k.value for k in seen.call.keywords)]
        if not (seen.device and seen.keeps_index) and text in map(ast.unparse, given):
            return True
    return any(_names_cuda(n, text) for n in context.source.of_type(ast.JoinedStr))


def _names_cuda(tree: ast.JoinedStr, number: str) -> bool:
    """``f"cuda:{number}"``."""
    parts = tree.values
    held = [part.value for part in parts if isinstance(part, ast.FormattedValue)]
    names = [part.value for part in parts[:1] if isinstance(part, ast.Constant)]
    return names == ["cuda:"] and number in map(ast.unparse, held)


def _talks_over_nccl(found: LibraryCall) -> bool:
    if "torch.distributed.init_process_group" not in found.names:
        return False
    given = [*found.call.args, *(k.value for k in found.call.keywords)]
    return any(isinstance(g, ast.Constant) and g.value == "nccl" for g in given)
