"""A device is given as an integer index.

## What it does
Finds ``x.get_device()`` used as a device and writes ``x.device``, also in
``y.cuda(x.get_device())``. Finds numbers (``.to(0)``, ``device=torch.cuda.current_device()``) and
computed devices (``torch.device("cuda", i)``, ``torch.device(f"cuda:{i}")``) without an
availability check: they become the device variable in scope, which is the CPU without CUDA. If a
condition already chooses the CPU for the same variable, nothing is reported.

## Why
``get_device()`` is -1 for a CPU tensor, which is not a device. A number means an accelerator:
``.to(0)`` raises ``RuntimeError: PyTorch is not linked with support for cuda devices`` without one.

## Example
```python
noise = torch.randn(x.size(), device=x.get_device())
device = torch.device(f"cuda:{args.gpu}")
```
becomes
```python
noise = torch.randn(x.size(), device=x.device)
device = torch.device(f"cuda:{args.gpu}" if torch.cuda.is_available() else "cpu")
```

## Fix safety
Safe: the same accelerator as before, if there is one. Unsafe if ``get_device()`` is called on
something that may not be a tensor. The index in ``x.cuda(index)`` is covered by DFX201: a new
device keeps it if all calls of the file share it and it is definitely a number.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.get_device.html
- https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.device
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from devicefix.codemod import Codemod, Context
from devicefix.edits import (
    EditError,
    define_device,
    is_at_hand,
    only_if,
    quoted,
    replace_expression,
    replace_method,
)
from devicefix.findings import Applicability, Edit, Finding, Fix
from devicefix.flow import DeviceNumber, Kind, Number

_NO_TENSOR: Final = (Kind.OTHER, Kind.STORAGE)


class DeviceAsNumber(Codemod):
    """``device=x.get_device()``."""

    code = "DFX208"
    name = "device-number"
    local = True
    ports = True

    def check(self, context: Context) -> Iterator[Finding]:
        guarded = {call for guard in context.facts.guards for call in guard.moves}
        for found in context.facts.numbers:
            if _device_type(found.tree) != "cuda":
                continue
            call = _cuda_call(context, found)
            known = context.facts.calls.get(call) if call is not None else None
            if call in guarded or (known is not None and known.kind in _NO_TENSOR):
                continue
            if call is None or found.kind is Number.LOCATED:
                yield self._finding(context, found, call)

    def _finding(self, context: Context, found: DeviceNumber, call: ast.Call | None) -> Finding:
        message = f"the device index `{context.source.segment(found.tree)}` hard-codes CUDA"
        try:
            edits = _edits(context, found, call)
        except EditError as error:
            return context.finding(self, found.tree, message, None, str(error))
        applicability = Applicability.SAFE if found.sure else Applicability.UNSAFE
        advice = "" if found.sure else "it may be called on something other than a tensor"
        group = f"{self.code}-{context.source.span(found.tree).start}"
        return context.finding(self, found.tree, message, Fix(edits, applicability, group), advice)


def _device_type(tree: ast.expr) -> str:
    """``mps`` of ``torch.device("mps", index)``; a number alone is one of CUDA."""
    first = tree.args[0] if isinstance(tree, ast.Call) and tree.args else None
    word = first.value if isinstance(first, ast.Constant) else None
    return word.partition(":")[0] if isinstance(word, str) else "cuda"


def _cuda_call(context: Context, found: DeviceNumber) -> ast.Call | None:
    """The call in ``x.cuda(number)``."""
    parent = context.facts.parents.get(found.tree)
    if isinstance(parent, ast.keyword):
        parent = context.facts.parents.get(parent)
    cuda = isinstance(parent, ast.Call) and isinstance(parent.func, ast.Attribute)
    return parent if cuda and isinstance(parent, ast.Call) and _name(parent) == "cuda" else None


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _edits(context: Context, found: DeviceNumber, call: ast.Call | None) -> tuple[Edit, ...]:
    source, facts, device = context.source, context.facts, found.device
    if found.kind is Number.LOCATED and call is not None:
        return (_followed(context, found.tree, call),)
    if found.kind is Number.LOCATED and isinstance(found.tree, ast.Call):
        return (replace_method(source, found.tree, "device"),)
    if device is not None and is_at_hand(facts, device):
        definition = define_device(source, facts, context.settings, device)
        return (replace_expression(source, found.tree, device.text), *definition)
    if not facts.torch:
        raise EditError("torch is not imported in this scope")
    asked, host = f"{facts.torch}.cuda.is_available()", quoted(source, '"cpu"')
    tree = found.tree
    if found.kind is Number.COMPUTED and isinstance(tree, ast.Call):
        whole = len(tree.args) + len(tree.keywords) > 1
        host = f"{source.segment(tree.func)}({host})" if whole else host
        tree = tree if whole else [*tree.args, *(k.value for k in tree.keywords)][0]
    return (only_if(source, tree, asked, host),)


def _followed(context: Context, tree: ast.expr, call: ast.Call) -> Edit:
    """``y.cuda(x.get_device())`` -> ``y.to(x.device)``."""
    assert isinstance(tree, ast.Call)
    assert isinstance(tree.func, ast.Attribute)
    text = f"{context.source.segment(tree.func.value)}.device"
    rest = [f"non_blocking={context.source.segment(a)}" for a in call.args[1:2]]
    rest += [
        f"{k.arg}={context.source.segment(k.value)}" for k in call.keywords if k.arg != "device"
    ]
    return replace_method(context.source, call, f"to({', '.join([text, *rest])})")
