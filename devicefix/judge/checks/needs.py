"""Does the program get any further without CUDA where the edits ask whether there is some?

``model.to(device)`` below ``if not torch.cuda.is_available(): sys.exit(1)``, beside a ``.cuda()``
that stays, or in a process that talks over NCCL: with CUDA the program does what it did, and
without it fails as before. Such a question is half a port. What follows a tensor asks nothing.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Final

from devicefix.flow.facts import Kind, Need
from devicefix.flow.library_seen import library_calls
from devicefix.flow.unavoidable import Unavoidable
from devicefix.flow.values import Device, Flag
from devicefix.judge.comparison import Comparison, Objection

NAME: Final = "need"
_RAISE: Final = (Kind.TORCH, Kind.STORAGE)
_DEFINITIONS: Final = (ast.Assign, ast.AnnAssign)


def objections(comparison: Comparison) -> Iterator[Objection]:
    """For each edit that asks nowhere but where CUDA is needed all the same."""
    if not comparison.after.complete:
        return
    asked: dict[int, list[tuple[str, ast.expr]]] = defaultdict(list)
    for path, tree in _questions(comparison):
        for number in comparison.maps[path].makers_in(comparison.span(path, tree)):
            asked[number].append((path, tree))
    unavoidable = Unavoidable(comparison.after.analysis, _kept(comparison)) if asked else None
    for number, places in asked.items():
        needs = [unavoidable.at(tree) for _, tree in places] if unavoidable is not None else []
        if all(needs) and (need := needs[0]) is not None:
            path, tree = places[0]
            line, reason = comparison.old_line(path, tree), _told(comparison, need)
            yield Objection(NAME, path, line, reason, frozenset((number,)))


def _questions(comparison: Comparison) -> Iterator[tuple[str, ast.expr]]:
    """The expressions that edits have put in to ask for CUDA, or for what was found out of it."""
    for path in comparison.maps:
        for tree in comparison.source(path).nodes:
            if isinstance(tree, ast.expr) and _is_question(comparison, path, tree):
                yield path, tree


def _is_question(comparison: Comparison, path: str, tree: ast.expr) -> bool:
    written = comparison.is_new(path, tree) and _asks(comparison, tree)
    return written and not _defines(comparison, path, tree)


def _asks(comparison: Comparison, tree: ast.expr) -> bool:
    values = comparison.after.values(tree)
    return bool(values) and all(
        (isinstance(v, Device) and not v.nodes) or (isinstance(v, Flag) and v.pure) for v in values
    )


def _defines(comparison: Comparison, path: str, tree: ast.expr) -> bool:
    """Whether it is a part of ``device = …``: what counts is where that is read."""
    above = comparison.after.parents.get(tree)
    while above is not None and not isinstance(above, ast.stmt):
        above = comparison.after.parents.get(above)
    return isinstance(above, _DEFINITIONS) and comparison.is_new(path, above)


def _kept(comparison: Comparison) -> Mapping[ast.AST, str]:
    """The calls of the new program that raise where there is no CUDA."""
    decision = comparison.after.decision
    found: dict[ast.AST, str] = {}
    for call, seen in decision.calls.items():
        moves = isinstance(call.func, ast.Attribute) and call.func.attr == "cuda"
        if moves and seen.kind in _RAISE and not seen.probes:
            found[call] = f"`{ast.unparse(call.func)}` stays"
    for known in library_calls(comparison.after.analysis, decision.names):
        if known.needs_cuda and not known.guarded:
            found[known.call] = f"`{min(known.names)}` raises where there is no CUDA"
    return found


def _told(comparison: Comparison, need: Need) -> str:
    path = comparison.after.analysis.home(need.tree).path
    line = comparison.old_line(path, need.tree)
    return f"CUDA is needed there all the same, by {path}:{line}: {need.reason}"
