"""A tensor is created on the CPU only to be moved.

## What it does
Finds ``torch.zeros(n).to(device)`` and similar: a factory call whose result is used only by the
move. The fix passes ``device=`` to the factory.

Runs only on request (``--select DFX501``): the program is correct as it is.

## Why
The CPU allocates and fills memory, then all of it is copied, and a copy from pageable memory makes
the CPU wait. With ``device=`` the tensor is created where it is needed.

## Example
```python
hidden = torch.zeros(layers, batch, size).to(device)
```
becomes
```python
hidden = torch.zeros(layers, batch, size, device=device)
```

## Fix safety
Safe for factories whose values are exact (``zeros``, ``ones``, ``full``, ``eye``, ``arange`` …).
Unsafe for those that compute (``linspace``, windows): an accelerator may round differently. Random
numbers (``randn`` …) are reported but not fixed: each device has its own generator, so the program
would see different numbers. Calls with a ``generator=``, pinning or ``out=``, data that comes from
CPU memory anyway (``tensor``, ``from_numpy``), and leaves (DFX111) are not found.

## References
- https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.edits import EditError, define_device, transfer_into_factory
from devicefix.findings import Applicability, Edit, Finding, Fix
from devicefix.flow import Route
from devicefix.torch_api import EXACT, factory

_BOUND = frozenset({"device", "generator", "out", "pin_memory", None})


class MadeThenMoved(Codemod):
    """``torch.zeros(n).to(device)``."""

    code = "DFX501"
    name = "made-then-moved"
    on_request = True

    def check(self, context: Context) -> Iterator[Finding]:
        for route in context.facts.routes.values():
            rows = [factory(name) for name in route.names]
            if route.factory is None or any(row is None or row.data for row in rows):
                continue
            if {k.arg for k in route.factory.keywords} & _BOUND or _has_to_stay(context, route):
                continue
            yield self._finding(context, route, any(row is not None and row.random for row in rows))

    def _finding(self, context: Context, route: Route, random: bool) -> Finding:
        assert route.factory is not None
        name = ast.unparse(route.factory.func)
        message = f"`{name}` creates this tensor on the CPU, only to move it"
        if random:
            advice = "an accelerator's random number generator produces different numbers"
            return context.finding(self, route.call, message, None, advice)
        try:
            edits = _edits(context, route)
        except EditError:
            edits = ()
        if not edits:
            return context.finding(self, route.call, message, None, "create it on the device")
        exact = route.names <= EXACT
        level = Applicability.SAFE if exact else Applicability.UNSAFE
        advice = "" if exact else "an accelerator may round differently"
        fix = Fix(edits, level, f"{self.code}-{context.source.span(route.call).start}")
        return context.finding(self, route.call, message, fix, advice)


def _has_to_stay(context: Context, route: Route) -> bool:
    """A leaf would be another tensor; what is moved with CUDA only has no device to be made on."""
    seen = context.facts.calls.get(route.call)
    return seen is not None and (seen.leaf is not None or seen.asked)


def _edits(context: Context, route: Route) -> tuple[Edit, ...]:
    source, call = context.source, route.call
    assert isinstance(call.func, ast.Attribute)
    assert route.factory is not None
    if call.func.attr == "to":
        named = [k.value for k in call.keywords if k.arg == "device"]
        place = source.segment([*call.args, *named][0])
        return transfer_into_factory(source, call, route.factory, place)
    device = context.facts.calls[call].device
    if device is None or call.args:
        return ()
    defined = define_device(source, context.facts, context.settings, device)
    return (*transfer_into_factory(source, call, route.factory, device.text), *defined)
