"""Repairs for what a device, or memory of the device, does not have: float64, pinned pages."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from devicefix.edits import EditError, append_call, remove_keyword, remove_method
from devicefix.edits.devices import TRANSFER_RANK
from devicefix.findings import Edit
from devicefix.source import Source
from devicefix.verification.loop import sites
from devicefix.verification.loop.rearranging import is_transfer, without_transfers
from devicefix.verification.loop.writing import Editor, Rewrite, Site

_MOST: Final = 4
"""Statements of one kind that are tried."""
_Words = tuple[str, tuple[Rewrite, ...]]


# float64 ------------------------------------------------------------------------------------------


def without_float64(running: Iterable[Site]) -> Iterator[_Words]:
    """What is float64 is cast before it is moved; else it is computed on the CPU."""
    for site in running:
        yield from _cast_first(site)
        edits = without_transfers(site.source, site.statement)
        if edits:
            yield "float64 is computed on the CPU in this statement", (Rewrite(site, edits),)
        yield from _widened_on_the_cpu(site)
        function = sites.function_of(site.source, site.statement)
        edits = without_transfers(site.source, function) if function is not None else ()
        if function is not None and edits:
            yield f"`{function.name}` computes float64 on the CPU", (Rewrite(site, edits),)


def _cast_first(site: Site) -> Iterator[_Words]:
    """``x.to(device)`` as ``x.float().to(device)``."""
    for call in _running(site):
        if is_transfer(call) and isinstance(call.func, ast.Attribute) and len(call.args) < 2:
            value = call.func.value
            edits = tuple(append_call(site.source, value, ".float()", TRANSFER_RANK))
            words = f"`{ast.unparse(value)}` is cast to float32 before it is moved"
            yield words, (Rewrite(site, edits),)


def _widened_on_the_cpu(site: Site) -> Iterator[_Words]:
    """``x.double()`` as ``x.cpu().double()``, and likewise what is given a type."""
    for call in _running(site):
        if isinstance(call.func, ast.Attribute) and not is_transfer(call):
            value = call.func.value
            edits = tuple(append_call(site.source, value, ".cpu()", TRANSFER_RANK))
            words = f"`{ast.unparse(value)}` is copied to the CPU, where it becomes float64"
            yield words, (Rewrite(site, edits),)


def _running(site: Site) -> list[ast.Call]:
    """The call that was running; all of the line where that is not known."""
    if site.running is not None:
        return [site.running] if isinstance(site.running, ast.Call) else []
    return [node for node in sites.expressions(site.statement) if isinstance(node, ast.Call)]


# Pinned memory ------------------------------------------------------------------------------------


def not_pinned(editor: Editor) -> Iterator[_Words]:
    """Only memory of the CPU can be pinned: what asks for it is taken away, one after the other."""
    calls = ((source, node) for source in editor.sources("pin_memory") for node in _asking(source))
    for source, call in islice(calls, _MOST):
        edits = tuple(_not_asking(source, call))
        site = Site(source, sites.statement_of(source, call))
        if edits:
            yield f"`{ast.unparse(call.func)}` no longer pins memory", (Rewrite(site, edits),)


def _asking(source: Source) -> Iterator[ast.Call]:
    for node in source.of_type(ast.Call):
        by_method = isinstance(node.func, ast.Attribute) and node.func.attr == "pin_memory"
        if by_method or any(keyword.arg == "pin_memory" for keyword in node.keywords):
            yield node


def _not_asking(source: Source, call: ast.Call) -> Iterator[Edit]:
    try:
        if any(keyword.arg == "pin_memory" for keyword in call.keywords):
            yield remove_keyword(source, call, "pin_memory")
        else:
            yield remove_method(source, call)
    except EditError:
        return
