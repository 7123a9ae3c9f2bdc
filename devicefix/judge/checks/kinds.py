"""Is each expression that no edit touched still of the kind and dtype that it was, and a leaf?"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Final

from devicefix.flow.evaluated import Evaluated
from devicefix.flow.never_ran import NeverRan
from devicefix.flow.values import Array, Instance, Mapping, Tensor, Value
from devicefix.judge.comparison import Comparison, Objection

NAME: Final = "kind"


def objections(comparison: Comparison) -> Iterator[Objection]:
    """One for each name whose meaning has changed, where it is read first."""
    told: set[tuple[str, str]] = set()
    for path, old, new in comparison.pairs():
        if not isinstance(old, (ast.Name, ast.Attribute)) or not isinstance(old.ctx, ast.Load):
            continue
        was, now = _kinds(comparison.before.values(old)), _kinds(comparison.after.values(new))
        if not (was and now and was.isdisjoint(now)):
            continue
        text = ast.unparse(new)
        if (path, text) not in told:
            told.add((path, text))
            reason = f"`{text}` was {_in_words(was)} and is {_in_words(now)} after the change"
            yield comparison.objection(NAME, path, new, reason)
    yield from _numbers(comparison)
    if not comparison.before.analysis.seen.clashes:
        yield from _leaves(comparison)


def _numbers(comparison: Comparison) -> Iterator[Objection]:
    """``x.item()`` in code that ran: a tensor is printed, written and divided in another way."""
    before = comparison.before
    never_ran = NeverRan(before.parents, lambda tree: _is_scalar(before.values(tree)))
    for path in comparison.maps.keys() - before.program.revived:
        for call in comparison.source(path).of_type(ast.Call):
            old = comparison.called_anew(path, call, "item")
            if old is None or not _is_scalar(before.values(old)):
                continue
            if not never_ran(old) and not _is_asked_for(before, old):
                reason = f"`{ast.unparse(old)}` was a tensor and is a number after the change"
                yield comparison.objection(NAME, path, call, reason)


def _is_scalar(values: Sequence[Value]) -> bool:
    return bool(values) and all(isinstance(v, Tensor) and v.scalar for v in values)


def _is_asked_for(before: Evaluated, tree: ast.expr) -> bool:
    """Whether a dictionary is asked for it: it finds numbers alone."""
    above = before.parents.get(tree)
    holder = above.value if isinstance(above, ast.Subscript) and above.slice is tree else None
    return holder is not None and all(isinstance(v, Mapping) for v in before.values(holder))


def _leaves(comparison: Comparison) -> Iterator[Objection]:
    """A leaf of the graph of gradients that has become a copy gets no ``.grad``."""
    for path, old, new in comparison.pairs():
        if isinstance(old, ast.Name) and isinstance(old.ctx, ast.Load):
            was, now = comparison.before.values(old), comparison.after.values(new)
            if _all_leaves(was) and now and not _all_leaves(now):
                reason = f"`{old.id}` is not a leaf tensor after the change"
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


def _in_words(kinds: frozenset[str]) -> str:
    return " or ".join(sorted(kinds))
