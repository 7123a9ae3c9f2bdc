"""CUDA-specific code has a device-agnostic equivalent.

## What it does
With ``style = "accelerator"`` in ``[tool.devicefix]`` (or ``--style accelerator``), rewrites the
remaining uses of CUDA in a file: the choice of the device, checks, calls of ``torch.cuda`` that
exist in ``torch.accelerator``, and mixed precision for ``"cuda"``. A CUDA seed is removed if
``torch.manual_seed`` next to it sets the same seed for all devices. Without that setting the rule
reports nothing.

A file is rewritten as a whole. If the code under a check for CUDA contains something without an
equivalent (``get_device_name``, NVTX, streams), the check and all code under it are kept. A line
that only prints such a value under a shared flag gets its own check. If such a use has no check in
its file, or something is placed on CUDA in another way, the whole file is left unchanged; so it is
if a condition on CUDA (``if device.type == "cuda":``) decides what is moved, or if the program
accepts listed devices only (``assert kind in ("cpu", "cuda")``). What is left unchanged is reported
with the reason.

## Why
A program that checks only for CUDA computes on the CPU on machines with another accelerator,
without a warning. A plain renaming is wrong: most of ``torch.cuda`` does nothing without CUDA, most
of ``torch.accelerator`` raises an error without an accelerator, and some names do not exist.

## Example
```python
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
if torch.cuda.is_available():
    torch.cuda.synchronize()
```
becomes
```python
device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
if torch.accelerator.is_available():
    torch.accelerator.synchronize()
```

## Fix safety
Safe: with CUDA and on the CPU the program does what it did. With other accelerators it now uses
them, which is the purpose of the setting; not every operation exists on each. It is unsafe

- if float64 is used on the device, which MPS does not support,
- if a device tensor is sent to another process (DFX404),
- if the program may already fail on the device,
- if another file of the program uses CUDA without its own check, because that file may rely on a
  check in this one,
- as long as a fix of another rule that the program needs on an accelerator is not made, whatever
  the reason: a comment, an option, or your choice.

A choice that is used for anything but a device stays a string. Code that needs a newer torch than
``min-torch`` is left unchanged and reported, and so is a device number above 0, unless the devices
are counted.

## References
- https://docs.pytorch.org/docs/stable/accelerator.html
- https://docs.pytorch.org/docs/stable/notes/get_start_xpu.html
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from devicefix.codemod import Codemod, Context
from devicefix.edits import EditError, generic_form, own_checks, without_import
from devicefix.findings import Applicability, Edit, Finding, Fix
from devicefix.flow import (
    CudaSite,
    CudaSort,
    LibraryCall,
    amp_call,
    checked_sites,
    closed_lists,
    is_beside,
    is_left,
    is_open,
    keeps,
    moving_conditions,
    needs_check,
    open_elsewhere,
)
from devicefix.source import Source

_Change = tuple[ast.AST, tuple[Edit, ...]]
_NAMED: Final = 'test `device.type != "cpu"` instead; until then, this file stays CUDA-only'
_HALF: Final = "the same line also uses something that only CUDA has"
_CLOSED: Final = "this test accepts only the listed devices"
_LISTED: Final = "accept any accelerator here; until then, this file stays CUDA-only"
_OTHER: Final = "because of it, this file stays CUDA-only"


class CudaOnly(Codemod):
    """``torch.cuda.synchronize()``, in the style of `torch.accelerator`."""

    code = "DFX213"
    name = "cuda-only"
    ports = True
    extends = True

    def check(self, context: Context) -> Iterator[Finding]:
        if context.settings.style != "accelerator":
            return
        source, facts = context.source, context.facts
        every = source.once(checked_sites)
        found = [s for s in every if not is_left(s, source, facts)]
        sites = [_of_call(site, amp_call(site, facts)) for site in found]
        changes, stays = _whole(source, *_tried(context, sites), set(every).difference(found))
        open_ = [site for site in stays if is_open(site)]
        named = moving_conditions(source, facts) if changes else ()
        for test in named:
            yield context.finding(
                self, test, "this condition on CUDA decides what is moved", None, _NAMED
            )
        closed = source.once(closed_lists) if changes else ()
        for test in closed:
            yield context.finding(self, test, _CLOSED, None, _LISTED)
        needing = [site for site in stays if needs_check(site)]
        own = own_checks(source, facts, needing) if changes else {}
        for site, reason in stays.items():
            advice = f"{reason}; {_OTHER}" if site in open_ else _with_check(context, site, reason)
            fix = Fix(own[site], Applicability.SAFE, f"{self.code}-own") if site in own else None
            yield context.finding(self, site.tree, _message(site), fix, "" if fix else advice)
        kept: set[ast.AST | None] = {facts.parents.get(site.tree) for site in stays}
        kept.update(check for site in stays for check in keeps(site))
        doubt = _doubt(context)
        sure = Applicability.UNSAFE if doubt else Applicability.SAFE
        for site, (tree, edits) in changes.items() if not (open_ or named or closed) else ():
            if kept.isdisjoint((*site.checks, facts.parents.get(site.tree))):
                fix = Fix(edits, sure, self.code)
                yield context.finding(self, tree, _message(site), fix, doubt)
        yield from self._imports(context)

    def _imports(self, context: Context) -> Iterator[Finding]:
        """Those of ``torch.cuda`` whose last use a fix has taken."""
        source, facts = context.source, context.facts
        read = {name.id for name in source.of_type(ast.Name) if isinstance(name, ast.Name)}
        for found in facts.imports if not facts.imported else ():
            if found.local in read or not found.sole or not context.was_read(found.local):
                continue
            (alias,) = (a for a in found.statement.names if found.local == (a.asname or a.name))
            try:
                edit = without_import(source, found.statement, alias)
            except EditError:
                continue
            fix = Fix((edit,), Applicability.SAFE, f"{self.code}-{source.span(alias).start}")
            yield context.finding(self, alias, "this import is unused now", fix)


def _tried(
    context: Context, sites: Sequence[CudaSite]
) -> tuple[Mapping[CudaSite, _Change], Mapping[CudaSite, str]]:
    """What becomes of each, without what goes with a choice around it, or why it stays."""
    source, facts, oldest = context.source, context.facts, context.program.oldest_torch
    changes: dict[CudaSite, _Change] = {}
    stays: dict[CudaSite, str] = {}
    for site in sites:
        try:
            changes[site] = generic_form(source, facts, context.settings, oldest, site)
        except EditError as error:
            stays[site] = str(error)
    wholes = [tree for site, (tree, _) in changes.items() if tree is not site.tree]
    gone = {node for whole in wholes for node in ast.walk(whole) if node is not whole}
    found = {s: c for s, c in changes.items() if c[0] not in gone and s.tree not in gone}
    first = {c[0]: s for s, c in reversed(changes.items()) if c[0] in wholes and c[0] not in gone}
    return {**found, **{s: changes[s] for s in first.values()}}, stays


def _whole(
    source: Source,
    changes: Mapping[CudaSite, _Change],
    stays: Mapping[CudaSite, str],
    left: Collection[CudaSite],
) -> tuple[Mapping[CudaSite, _Change], Mapping[CudaSite, str]]:
    """The same, where a statement that also names what is CUDA's own stays as a whole."""
    own = {s.tree for s in left if s.sort in (CudaSort.NAME, CudaSort.PLACE)}
    trees = own | {site.tree for site in stays}
    halves = {s: _HALF for s in changes if s.sort is CudaSort.NAME and is_beside(source, s, trees)}
    return {s: c for s, c in changes.items() if s not in halves}, {**stays, **halves}


def _doubt(context: Context) -> str:
    """What runs on CUDA or the CPU and not on each accelerator: float64, tensors for another
    process, and what another file may do below a check of this one that is for CUDA alone.
    """
    if double := context.facts.double_precision:
        return f"float64 is used on the device ({double}), which MPS does not support"
    if crossing := context.facts.crosses:
        return f"a device tensor is passed where only CPU tensors work ({crossing})"
    if stuck := context.facts.stuck:
        return f"the program may already fail on the device ({stuck})"
    for path, source in context.program.sources.items():
        if path != context.source.path and (tests := source.once(closed_lists)):
            return f"{_CLOSED}: {path}:{tests[0].lineno}"
    found = open_elsewhere(context.source.path, context.program.sources)
    if found is None:
        return ""
    (path, site), name = found, found[1].name or ".cuda()"
    where = f"`{name}` in {path}:{site.tree.lineno}"
    return f"{where} is for CUDA only and has no availability check there"


def _of_call(site: CudaSite, mixed: LibraryCall | None) -> CudaSite:
    """``"cuda"`` as the type of device for mixed precision places nothing."""
    return site if mixed is None else replace(site, sort=CudaSort.NAME, name=min(mixed.names))


def _with_check(context: Context, site: CudaSite, reason: str) -> str:
    if not keeps(site):
        return reason
    lines = sorted({check.lineno for check in keeps(site)})
    return f"{reason}; so the check on line {lines[0]} is left unchanged"


def _message(site: CudaSite) -> str:
    chosen = site.sort is CudaSort.TEXT and site.name != "nccl"
    named = "this device selection considers only CUDA"
    return named if chosen else f"`{site.name or '.cuda()'}` is for CUDA only"
