"""A device that a function names once, for what it makes to meet a tensor at hand.

``device = torch.device("cuda")``, and then ``torch.arange(n, device=device)`` that is combined with
``x``: the name stands for the device of ``x``. So it does where the name is used for nothing else.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from devicefix.flow.analysis import Analysis
from devicefix.flow.calls_seen import assigned, name_at
from devicefix.flow.facts import DeviceName
from devicefix.flow.ir import Bodies, Body, Kind, Op
from devicefix.flow.naming import DeviceNames, Moved
from devicefix.flow.observations import Occurrence
from devicefix.flow.queries.slicing import users

_NAMES = (Kind.STORE, Kind.LOAD)


def kept_device(
    analysis: Analysis, written: ast.expr, places: Sequence[Occurrence], names: DeviceNames
) -> DeviceName | None:
    """``x.device`` for ``written``, a device, or its string, which is reached in ``places``."""
    body = analysis.home(written).source.once(Bodies).around(written)
    takers = _takers(body, written)
    if not takers or isinstance(body.scope, ast.Module):
        return None
    nodes = set[int]()
    for seen in places:
        for call in takers:
            made = names.bindings.partners.made_at(replace(seen, place=call))
            if not made:
                return None
            nodes |= made
    moved = Moved(tuple(assigned(analysis, written)), named=True, meets=frozenset(nodes))
    device = name_at(list(places), names, moved)
    return device if device is not None and device.follows else None


def _takers(body: Body, written: ast.expr) -> Sequence[ast.Call]:
    """The calls that get it, under whatever name; none where it may go elsewhere."""
    return [] if None in (found := list(_uses(body, written))) else [c for c in found if c]


def _uses(body: Body, written: ast.expr) -> Iterator[ast.Call | None]:
    following, queue = users(body), list(body.of(written))
    known = set[Op](queue)
    while queue:
        op = queue.pop()
        for user in following.get(op, ()):
            if user.kind in _NAMES and user.name not in body.shared and not body.dynamic:
                queue += [user] if user not in known else []
                known.add(user)
            else:
                yield user.node if isinstance(user.node, ast.Call) else None
