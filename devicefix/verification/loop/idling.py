"""Repairs for arithmetic on the CPU where nothing fails: what brings it there, and where it began.

A transfer to the CPU before the lines that compute there is taken away. Else the tensors that
these lines began with are moved where they are created; what follows comes along, or fails and is
repaired next.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from itertools import islice
from typing import Final

from devicefix.edits import EditError, remove_method, remove_statement
from devicefix.observe.advice import FACTORIES
from devicefix.source import Source
from devicefix.verification.loop import sites
from devicefix.verification.loop.naming import Seen
from devicefix.verification.loop.rearranging import is_transfer
from devicefix.verification.loop.symptoms import Idle
from devicefix.verification.loop.writing import Editor, Move, Rewrite, Site

_MOST: Final = 4
"""Of one kind that are tried."""
_WRITTEN: Final = frozenset({"arange", "empty", "eye", "full", "linspace", "ones", "zeros"})
"""Functions of torch that make the same numbers on any device."""
_Changes = tuple[str, tuple[Move | Rewrite, ...]]


def left_on_the_host(editor: Editor, idle: Idle) -> Iterator[_Changes]:
    """What may bring the arithmetic of the host to the accelerator, the best first."""
    yield from _not_brought_back(editor, idle)
    begun = list(islice(_begun(editor, idle), _MOST))
    yield from begun
    if len(begun) > 1:
        words = "the tensors that the CPU computes with are moved where they are created"
        yield words, tuple(move for _, moves in begun for move in moves)


# Transfers to the CPU -----------------------------------------------------------------------------


def _not_brought_back(editor: Editor, idle: Idle) -> Iterator[_Changes]:
    """Each of them is taken away, first in the functions that compute on the CPU."""
    most = idle.lines[:_MOST]
    working = {_scope(site) for line in most if line.at and (site := editor.site(line.at))}
    found = [(source, call) for source in editor.sources("cpu") for call in _brought(source)]
    found.sort(key=lambda one: _scope(Site(one[0], _statement(*one))) not in working)
    for source, call in islice(found, _MOST):
        statement = _statement(source, call)
        try:
            nothing_else = _does_nothing_else(statement, call)
            edit = (
                remove_statement(source, statement) if nothing_else else remove_method(source, call)
            )
        except EditError:
            continue
        words = f"`{ast.unparse(call)}` is removed: the CPU computes with its result"
        yield words, (Rewrite(Site(source, statement), (edit,)),)


def _does_nothing_else(statement: ast.stmt, call: ast.Call) -> bool:
    """Whether a statement is ``x = x.cpu()`` or ``net.cpu()``."""
    if not isinstance(statement, (ast.Assign, ast.Expr)) or statement.value is not call:
        return False
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    assert isinstance(call.func, ast.Attribute)
    receiver = call.func.value
    return all(
        isinstance(target, ast.Name) and isinstance(receiver, ast.Name) and target.id == receiver.id
        for target in targets
    )


def _brought(source: Source) -> Iterator[ast.Call]:
    """``x.cpu()`` and ``x.to("cpu")``."""
    for node in source.of_type(ast.Call):
        if not isinstance(node.func, ast.Attribute):
            continue
        named = [value for given in node.args[:1] for value in ast.walk(given)]
        on_cpu = any(isinstance(one, ast.Constant) and one.value == "cpu" for one in named)
        chosen = any(isinstance(one, ast.IfExp) for one in named)
        if (node.func.attr == "cpu" and not node.args) or (
            is_transfer(node) and on_cpu and not chosen
        ):
            yield node


def _scope(site: Site) -> tuple[str, int]:
    function = sites.function_of(site.source, site.statement)
    return os.path.realpath(site.source.path), function.lineno if function is not None else 0


def _statement(source: Source, call: ast.Call) -> ast.stmt:
    return sites.statement_of(source, call)


# Where the tensors of the CPU began ---------------------------------------------------------------


def _begun(editor: Editor, idle: Idle) -> Iterator[tuple[str, tuple[Move, ...]]]:
    """Each line that made what the CPU computes with, factories first."""
    known: set[ast.stmt] = set()
    for one in sorted(idle.begun, key=lambda one: one.how not in FACTORIES):  # others may follow
        site = editor.site(one.at)
        if site is None or site.statement in known:
            continue
        known.add(site.statement)
        moves = tuple(_moved(site, one.how))
        if moves:
            what = [m.target if isinstance(m.target, str) else ast.unparse(m.target) for m in moves]
            yield f"{', '.join(f'`{one}`' for one in what)}: moved where it is created", moves


def _moved(site: Site, how: str) -> Iterator[Move]:
    """What a statement makes, moved; nothing where that is not known."""
    statement, seen = site.statement, Seen()
    if isinstance(statement, (ast.For, ast.AsyncFor)):
        yield from (Move(site, name, seen) for name in sites.plain_names(statement.target))
        return
    for call in sites.calls_of(statement, how):
        written = isinstance(call.func, ast.Attribute) and call.func.attr in _WRITTEN
        learns = any(keyword.arg == "requires_grad" for keyword in call.keywords)
        yield Move(site, call, seen, keyword=written or learns)
