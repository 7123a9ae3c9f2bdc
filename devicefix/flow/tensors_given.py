"""Whether what is moved at a place belongs where other tensors are that unknown callers give.

Often that cannot be shown. But to ask the machine there would be a second answer to where they
are: ``zeros(x.shape).cuda() + x`` goes where ``x`` is.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Final

from devicefix.flow.analysis import Analysis
from devicefix.flow.ir import Bodies, Kind
from devicefix.flow.observations import Occurrence
from devicefix.flow.partners import Partners
from devicefix.flow.queries.slicing import forward_slice
from devicefix.flow.values import Parameter
from devicefix.torch_api import ATTRIBUTES, method

_COMPUTES: Final = (Kind.CALL, Kind.COMPUTE)


def is_beside_given(analysis: Analysis, partners: Partners, seen: Occurrence) -> bool:
    """Whether what is moved is combined with tensors that the function is given by callers that
    nobody has seen; not where it is one of them, or made of one, alone."""
    own = [p for p in analysis.parameters.values() if p.frame.tree is seen.frame.tree]
    if not own:
        return False
    moved = partners.placed_at(seen)
    others = partners.living_with(moved).far - analysis.graph.made_of(moved)
    if any(parameter.node in others for parameter in own):
        return True
    names = _arguments_beside(seen)
    return any(parameter.name in names and _is_used_as_tensor(parameter) for parameter in own)


def _is_used_as_tensor(given: Parameter) -> bool:
    """It is asked for what tensors have, and neither called nor brought to the accelerator."""
    if given.module or given.given or given.moved:
        return False
    return any(name in ATTRIBUTES or method(name) is not None for name in given.asked)


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
