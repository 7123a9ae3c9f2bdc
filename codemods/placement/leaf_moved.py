"""A leaf tensor is moved right after it is created: on an accelerator, the result is not a leaf.

## What it does
Finds ``nn.Parameter(x).to(device)``, ``Variable(x, requires_grad=True).cuda()``, ``torch.randn(n,
requires_grad=True).to(device)`` and ``….requires_grad_().to(device)``. The fix moves first: the
transfer goes inside, or becomes the factory's ``device=``, or ``requires_grad=True`` becomes
``.requires_grad_()`` after it.

## Why
``.to(device)`` returns the tensor itself on the CPU. On a device it returns a new tensor that was
*computed* from the leaf: its ``.grad`` stays ``None``, a module does not register it as a
parameter, and an optimizer refuses it (``can't optimize a non-leaf Tensor``).

## Example
```python
self.scale = nn.Parameter(torch.ones(3)).to(device)
```
becomes
```python
self.scale = nn.Parameter(torch.ones(3).to(device))
```

## Fix safety
Safe: on the CPU nothing changes. Random numbers are drawn on the same device as before, and then
moved, because each device has its own generator. Unsafe for an attribute of a module that a method
other than ``__init__`` sets: it becomes a parameter of the module, which is saved, too. Not
reported: leaves that are assigned to a variable (the program may need both), and transfers whose
result is used in a computation at once, or in nothing else: what no module, optimizer or caller
gets need not be a leaf.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.is_leaf.html
- https://docs.pytorch.org/docs/stable/notes/autograd.html#setting-requires-grad
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.edits import (
    EditError,
    define_device,
    require_gradient_later,
    transfer_inside,
    transfer_into_factory,
)
from devicefix.findings import Applicability, Edit, Finding, Fix
from devicefix.flow import Leaf, TransferCall


class LeafMoved(Codemod):
    """``nn.Parameter(x).to(device)``."""

    code = "DFX111"
    name = "leaf-moved"

    def check(self, context: Context) -> Iterator[Finding]:
        for seen in context.facts.calls.values():
            if seen.leaf is None or not _names_a_place(seen.call):
                continue
            if not (seen.leaf is Leaf.WRAPPED and _data(seen.call) in context.facts.calls):
                yield self._finding(context, seen, seen.leaf)

    def _finding(self, context: Context, seen: TransferCall, leaf: Leaf) -> Finding:
        assert isinstance(seen.call.func, ast.Attribute)
        called = f"`.{seen.call.func.attr}()`"
        message = f"on an accelerator, the result of {called} is not a leaf tensor"
        try:
            edits = _edits(context, seen, leaf)
        except EditError:
            edits = ()
        if not edits:
            advice = "move the tensor first, then make it require gradients"
            return context.finding(self, seen.call, message, None, advice)
        applicability = Applicability.UNSAFE if seen.joins else Applicability.SAFE
        new = "the module registers what this method assigns as a new parameter"
        advice = new if seen.joins else ""
        fix = Fix(edits, applicability, f"{self.code}-{context.source.span(seen.call).start}")
        return context.finding(self, seen.call, message, fix, advice)


def _names_a_place(call: ast.Call) -> bool:
    """``.to("cpu")`` leaves the leaf what it is."""
    assert isinstance(call.func, ast.Attribute)
    first = call.args[0] if call.args else None
    host = isinstance(first, ast.Constant) and str(first.value).startswith("cpu")
    return call.func.attr in ("to", "cuda") and not host


def _data(call: ast.Call) -> ast.expr | None:
    """``x`` of ``nn.Parameter(x).to(device)``; where that is moved already, the leaf is there."""
    made = call.func.value if isinstance(call.func, ast.Attribute) else None
    assert isinstance(made, ast.Call)
    given = [*made.args[:1], *(k.value for k in made.keywords if k.arg == "data")]
    return given[0] if given else None


def _edits(context: Context, seen: TransferCall, leaf: Leaf) -> tuple[Edit, ...]:
    source, call = context.source, seen.call
    assert isinstance(call.func, ast.Attribute)
    made = call.func.value
    assert isinstance(made, ast.Call)
    if leaf is Leaf.SWITCHED:
        assert isinstance(made.func, ast.Attribute)
        return transfer_inside(source, call, made.func.value)
    if leaf is Leaf.WRAPPED:
        given = _data(call)
        return transfer_inside(source, call, given) if given is not None else ()
    device, defined = _device(context, seen)
    if (
        leaf is Leaf.DRAWN
        or not device
        or {k.arg for k in made.keywords} & {"generator", "out", "pin_memory", None}
    ):
        return require_gradient_later(source, call, made)
    return (*transfer_into_factory(source, call, made, device), *defined)


def _device(context: Context, seen: TransferCall) -> tuple[str, tuple[Edit, ...]]:
    """What ``device=`` would get, and what defines it; empty where the call says more than that."""
    source, call = context.source, seen.call
    if isinstance(call.func, ast.Attribute) and call.func.attr == "to":
        places = [*call.args, *(k.value for k in call.keywords if k.arg == "device")]
        alone = len(places) == len(call.args) + len(call.keywords) == 1
        return (source.segment(places[0]) if alone else ""), ()
    if seen.device is None or call.args or call.keywords:
        return "", ()
    edits = define_device(source, context.facts, context.settings, seen.device)
    return seen.device.text, edits
