"""Is each expression that no edit touched still of the kind and dtype that it was, and a leaf?"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Final

from devicefix.flow.values import Array, Instance, Tensor, Value
from devicefix.judge.comparison import Comparison, Objection

NAME: Final = "kind"


def objections(comparison: Comparison) -> Iterator[Objection]:
    """One for each name whose meaning has changed, where it is read first."""
    told: set[tuple[str, str]] = set()
    for path, old, new in comparison.pairs():
        if not isinstance(old, (ast.Name, ast.Attribute)) or not isinstance(old.ctx, ast.Load):
            continue
        text = ast.unparse(new)
        was, now = _kinds(comparison.before.values(old)), _kinds(comparison.after.values(new))
        if was and now and was.isdisjoint(now) and (path, text) not in told:
            told.add((path, text))
            reason = f"`{text}` was {_told(was)} and is {_told(now)} after the change"
            yield comparison.objection(NAME, path, new, reason)
    if not comparison.before.analysis.seen.clashes:
        yield from _leaves(comparison)


def _leaves(comparison: Comparison) -> Iterator[Objection]:
    """A leaf of the graph of gradients that has become a copy gets no ``.grad``."""
    for path, old, new in comparison.pairs():
        if isinstance(old, ast.Name) and isinstance(old.ctx, ast.Load):
            was, now = comparison.before.values(old), comparison.after.values(new)
            if _all_leaves(was) and now and not _all_leaves(now):
                reason = f"`{old.id}` is no leaf of the graph of gradients after the change"
                yield comparison.objection(NAME, path, new, reason)


def _all_leaves(values: Sequence[Value]) -> bool:
    return bool(values) and all(isinstance(v, Tensor) and v.leaf for v in values)


def _kinds(values: Sequence[Value]) -> frozenset[str]:
    """What they surely are; nothing where one of them is not known."""
    found = [_kind(value) for value in values]
    return frozenset(found) if all(found) else frozenset()


def _kind(value: Value) -> str:
    match value:
        case Tensor():
            return "" if value.maybe or not value.certain else "a tensor"
        case Array():
            return "an array"
        case Instance():
            return "a module" if value.modules else ""
    return ""


def _told(kinds: frozenset[str]) -> str:
    return " or ".join(sorted(kinds))
