"""What goes to where a tensor at hand is, and has to be with that in every run that works.

Such a move changes no run that works now, so there is nothing to hold against it: see
`devicefix.flow.must_meet`.
"""

from __future__ import annotations

import ast

from devicefix.flow.facts import DeviceName
from devicefix.flow.graph import Site, SiteKind
from devicefix.flow.must_meet import Meetings, must_meet
from devicefix.flow.values import nodes_of
from devicefix.judge.comparison import Comparison, Move


def surely_meets(comparison: Comparison, move: Move) -> bool:
    """Whether what was made or moved, and goes to ``x.device`` now, meets ``x`` in every run."""
    device = move.device
    if not (isinstance(device, ast.Attribute) and isinstance(device.value, ast.Name)):
        return False
    if device.attr != "device" or not comparison.before.complete:
        return False
    if move.replaces is not None:
        return _was_moved(comparison, move.replaces, device.value.id)
    name = DeviceName(ast.unparse(device), follows=True)
    analysis = comparison.before.analysis
    partners = comparison.before.decision.names.bindings.partners
    for old in comparison.old_calls(move.path, move.call):
        for site in (Site(SiteKind.CREATE, old), Site(SiteKind.ORIGIN, old)):
            known = site in analysis.sites
            if known and must_meet(analysis, partners, site, analysis.graph.at(site), name):
                return True
    return False


def _was_moved(comparison: Comparison, moved: ast.Call, holder: str) -> bool:
    analysis = comparison.before.analysis
    made = [(place, nodes_of(after)) for _, after, place in analysis.seen.transfers.get(moved, [])]
    if not made:
        return False
    partners = comparison.before.decision.names.bindings.partners
    meetings = Meetings(analysis, partners, moved, made)
    return meetings.are_certain(meetings.beside(holder))
