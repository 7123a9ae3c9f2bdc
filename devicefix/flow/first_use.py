"""When a scope may first run one of its functions, directly or through others."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping

from devicefix.flow.ir import Bodies, Body, Kind, Op, Point
from devicefix.flow.ir.names import FUNCTIONS, names_of
from devicefix.flow.passing import HARMLESS


def uses(
    bodies: Bodies,
    body: Body,
    definition: ast.AST,
    decorators: Mapping[ast.AST, frozenset[str]],
) -> list[Point]:
    """The moments at which ``body`` may start to run what it defines; a lambda may run at once.

    ``decorators`` are those of functions: one that keeps the function may call it at any time.
    """
    made = [op for op in body.ops if op.kind is Kind.CLOSURE]
    own = [op for op in made if op.node is definition]
    if not isinstance(definition, (*FUNCTIONS, ast.ClassDef)):
        return [(op.block, op.at) for op in own]
    leading = _leading(own, [op for op in made if op.name])
    kept = [op for op in leading if not decorators.get(op.node, frozenset()) <= HARMLESS]
    running = _running(bodies, body, frozenset(op.name for op in leading))
    return [(op.block, op.at) for op in (*kept, *running)]


def _leading(own: Collection[Op], others: Collection[Op]) -> list[Op]:
    """The definition, and those that name it, or name one that does."""
    found = list(own)
    for made in found:  # which grows
        naming = (op for op in others if made.name in names_of(op.node).free)
        found += [op for op in naming if op not in found]
    return found


def _running(bodies: Bodies, body: Body, names: frozenset[str]) -> Iterator[Op]:
    """What reads one of the names when a body runs, those of classes included.

    Bases are read, too, but nothing of what they name runs.
    """
    made = [op for op in body.ops if op.kind is Kind.CLOSURE]
    bases = {base for op in made if isinstance(op.node, ast.ClassDef) for base in op.operands}
    for op in body.ops:
        if op.kind in (Kind.LOAD, Kind.OUTER):
            if op.name in names and op not in bases:
                yield op
        elif op.kind is Kind.CLOSURE and not isinstance(op.node, FUNCTIONS):
            inner = bodies.of(op.node)
            if any(_running(bodies, inner, names - inner.names)):
                yield op
