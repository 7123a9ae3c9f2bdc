"""Whether what is moved at a place belongs where other tensors are that the function is given.

Often that cannot be shown, for nobody knows who calls the function. But to ask the machine there
would be a second answer to where they are: `zeros(x.shape).cuda() + x` goes where ``x`` is.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from typing import Final

from devicefix.flow.analysis import Analysis
from devicefix.flow.candidates import parameter_names, receiver_name
from devicefix.flow.frame import Frame
from devicefix.flow.ir import Bodies, Kind
from devicefix.flow.observations import Occurrence
from devicefix.flow.partners import Partners
from devicefix.flow.queries.slicing import forward_slice
from devicefix.flow.scopes import FUNCTIONS
from devicefix.flow.values import Opaque, nodes_of
from devicefix.torch_api import ATTRIBUTES, method

_COMPUTES: Final = (Kind.CALL, Kind.COMPUTE)


def is_beside_given(analysis: Analysis, partners: Partners, seen: Occurrence) -> bool:
    """Whether what is moved is combined with tensors that the function is given; not where it is
    one of them, or made of one, alone."""
    moved = partners.placed_at(seen)
    others = partners.living_with(moved).far - analysis.graph.made_of(moved)
    if not others.isdisjoint(_given_nodes(seen)):
        return True
    names = _arguments_beside(seen)
    return bool(names) and any(
        parameter.name in names
        and parameter.frame.tree is seen.frame.tree
        and not (parameter.module or parameter.given or parameter.moved)
        and any(name in ATTRIBUTES or method(name) is not None for name in parameter.asked)
        for parameter in analysis.parameters.values()
    )


def _given_nodes(seen: Occurrence) -> Set[int]:
    """The nodes of the tensors that the functions around the place are given."""
    found = set[int]()
    for frame in _around(seen.frame):
        receiver = receiver_name(frame)
        for name in parameter_names(frame.tree):
            value = seen.names.get(name) if name != receiver else None
            found |= {value.parameter.node} if isinstance(value, Opaque) else nodes_of(value)
    return found


def _around(frame: Frame | None) -> Iterator[Frame]:
    while frame is not None:
        if isinstance(frame.tree, (*FUNCTIONS, ast.Lambda)):
            yield frame
        frame = frame.parent


def _arguments_beside(seen: Occurrence) -> Set[str]:
    """The names of the arguments that are computed with, by definitions and uses, where something
    of what the place gives is; not those that the place itself is computed of."""
    if seen.place is None:
        return frozenset()
    body = seen.frame.file.source.once(Bodies).around(seen.place)
    own = frozenset(body.of(seen.place))
    waiting = [op for op in forward_slice(body, own) if op.kind in _COMPUTES and op not in own]
    met, found = set(own), set[str]()
    while waiting:
        op = waiting.pop()
        if op not in met:
            met.add(op)
            waiting += op.operands
            found |= {op.name} if op.kind is Kind.ARGUMENT else set()
    return found
