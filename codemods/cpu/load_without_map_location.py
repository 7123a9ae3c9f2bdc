"""A checkpoint is loaded to the device that it was saved from.

## What it does
Finds ``torch.load``, ``torch.jit.load`` and ``torch.hub.load_state_dict_from_url`` (also
``load_url`` of ``model_zoo``) without ``map_location``, with ``map_location=None``, or with a
function that calls ``storage.cuda()``. The fix passes the device variable in scope. If everything
that is loaded goes into ``load_state_dict``, which copies it to the device of the module, the fix
passes ``"cpu"`` when the file loads other things to ``"cpu"``, or when no device variable is in
scope. Random states, arrays and the contents of datasets belong on the CPU and get ``"cpu"``. So
does the state of an optimizer, which moves it to its parameters, except for the step counts: these
would stay on the accelerator, and every step would wait for them. Loads that are only reached after
a check for CUDA are left unchanged, and so are those of a file that the same run has saved before,
and those in a ``try`` whose ``except`` loads again, with ``map_location``.

## Why
A tensor that was saved on CUDA is restored there: ``RuntimeError: Attempting to deserialize object
on a CUDA device but torch.cuda.is_available() is False``. On another machine ``cuda:3`` may be
missing, or in use by another program.

## Example
```python
model.load_state_dict(torch.load("model.pt"))
```
becomes
```python
model.load_state_dict(torch.load("model.pt", map_location=device))
```

## Fix safety
Safe if every use of what is loaded is known and works for tensors on any device: it is copied
(``load_state_dict``, ``copy_``), moved (``.to(device)``), printed, or a number, or it replaces a
tensor that is combined with what the program itself has moved to the device. Torch 0.4.0 accepts no
device there: for it, the fix passes ``"cpu"``, or there is no fix. Unsafe if it is called, computed
with, or passed to unanalysed code: a model that was saved on the CPU would now be loaded to the
device. A checkpoint that holds both a random state and something of that kind needs your decision.
Unsafe if every path of the program also needs CUDA elsewhere, because it cannot run without CUDA
anyway. ``weights_only`` is never changed. Weights that torchvision publishes
(``download.pytorch.org``) are CPU tensors and are not reported.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.load.html
- https://docs.pytorch.org/docs/stable/generated/torch.set_rng_state.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.edits import (
    EditError,
    add_keyword,
    define_device,
    is_at_hand,
    loses_index,
    names_host,
    quoted,
    replace_expression,
    require,
    taken_to_cuda,
)
from devicefix.findings import Applicability, Edit, Finding, Fix
from devicefix.flow import DeviceName, LibraryCall, Use

_TAKES_DEVICE = "torch.load(map_location=torch.device)"
_LOADERS = frozenset({"torch.load", "torch.jit.load", "torch.hub.load_state_dict_from_url"})


class LoadWithoutMapLocation(Codemod):
    """``torch.load("model.pt")``."""

    code = "DFX402"
    name = "load-without-map-location"
    ports = True

    def check(self, context: Context) -> Iterator[Finding]:
        for found in context.facts.library:
            if found.names <= _LOADERS and _is_bound(found) and not _is_at_home(found):
                yield self._finding(context, found)

    def _finding(self, context: Context, found: LibraryCall) -> Finding:
        name = min(found.names)
        message = (
            f"`{name}` without `map_location` restores tensors on the device they were saved from"
        )
        try:
            edits = _edits(context, found)
        except EditError:
            edits = ()
        if not edits:
            return context.finding(self, found.call, message, None, _why_not(found))
        sure = Use.OPEN not in found.uses
        applicability = Applicability.SAFE if sure else Applicability.UNSAFE
        fix = Fix(edits, applicability, f"{self.code}-{context.source.span(found.call).end}")
        return context.finding(self, found.call, message, fix, "" if sure else _why_not(found))


def _is_at_home(found: LibraryCall) -> bool:
    """It is only reached where the devices are there that were saved from."""
    return found.guarded or (found.own and taken_to_cuda(found.where) is None)


def _is_bound(found: LibraryCall) -> bool:
    """Nothing says where to load to, or it says CUDA."""
    spread = any(isinstance(a, ast.Starred) for a in found.call.args)
    if spread or any(k.arg is None for k in found.call.keywords):
        return False
    where = found.where
    nothing = where is None or (isinstance(where, ast.Constant) and where.value is None)
    return nothing or taken_to_cuda(where) is not None


def _edits(context: Context, found: LibraryCall) -> tuple[Edit, ...]:
    host, sure = Use.HOST in found.uses, Use.OPEN not in found.uses
    device, met = found.device, Use.DEVICE in found.uses
    if loses_index(found.where) or (host and (met or not sure)):
        return ()
    chosen = sure and (Use.STATE in found.uses or _goes_to_host(context))
    named = device is not None and not (sure and (device.follows or not _has(context, device)))
    if host or not named or (chosen and not met):
        at_once = sure and not met
        return (_written(context, found, quoted(context.source, '"cpu"')),) if at_once else ()
    assert device is not None
    require(context.program.oldest_torch, _TAKES_DEVICE)
    definition = define_device(context.source, context.facts, context.settings, device)
    return (_written(context, found, device.text), *definition)


def _has(context: Context, device: DeviceName) -> bool:
    """Whether the device is there without the load, and may be given to it; one that is defined
    when others import the file is not for it."""
    try:
        require(context.program.oldest_torch, _TAKES_DEVICE)
    except EditError:
        return False
    new = bool(device.preamble) and context.facts.imported and not device.late
    return not new and is_at_hand(context.facts, device)


def _goes_to_host(context: Context) -> bool:
    """The loads of the file that say where to all say the CPU, or will, for none says anything."""
    loads = [found for found in context.facts.library if found.names <= _LOADERS]
    places = [f.where for f in loads if f.where is not None and not _is_bound(f)]
    if not places:
        return any(
            Use.STATE in f.uses and not {Use.DEVICE, Use.OPEN} & f.uses.keys() for f in loads
        )
    return all(map(names_host, places))


def _written(context: Context, found: LibraryCall, text: str) -> Edit:
    if found.where is not None:
        return replace_expression(context.source, found.where, text)
    return add_keyword(context.source, found.call, "map_location", text)


def _why_not(found: LibraryCall) -> str:
    used = found.uses.get(Use.OPEN) or found.uses.get(Use.DEVICE)
    line = getattr(used, "lineno", 0)
    if loses_index(found.where):
        return "the device index would be lost"
    if used is None:
        return "it cannot be rewritten here"
    if Use.HOST in found.uses:
        return f"some parts are read on the CPU, others are passed to other code (line {line})"
    if found.device is None:
        return f"no device variable is in scope, and line {line} may need all of it on one device"
    return f"line {line} may need it on the device it was saved from"
