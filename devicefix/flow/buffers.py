"""Tensors that a constructor stores as plain attributes: as buffers they would travel.

``Module.to`` moves parameters and buffers, nothing else. For each such attribute there is a node:
it is on the host as written, and on the target where the cut pays for ``register_buffer`` and the
module is there, too. While the constructor runs, its code still finds the host tensor
(``ObjectRecord.unmoved``).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Final

from devicefix.flow import registration
from devicefix.flow.analysis import Analysis
from devicefix.flow.costs import BUFFER_COST, STRAY_COST
from devicefix.flow.frame import Frame
from devicefix.flow.graph import (
    HARD,
    HOST_NODE,
    TARGET_NODE,
    Edge,
    Label,
    PlacementGraph,
    Site,
    SiteKind,
    Solution,
)
from devicefix.flow.ir import Bodies
from devicefix.flow.observations import Candidate
from devicefix.flow.registration import Plan, Text
from devicefix.flow.values import (
    ClassRecord,
    Instance,
    ObjectRecord,
    Tensor,
    Value,
    is_none,
)
from devicefix.time_limit import check_time
from devicefix.torch_api import is_there

_NOT_PERSISTENT: Final = "torch.nn.Module.register_buffer(persistent=)"


def note_store(frame: Frame, target: ast.Attribute, value: Value) -> None:
    """Remember whether ``target`` is only ever given what a buffer accepts."""
    holder = frame.evaluate(target.value)
    apart = isinstance(holder, Instance) and not holder.modules
    tensor = isinstance(value, Tensor) and value.certain and not value.parameter
    fine = apart or is_none(value) or tensor
    frame.seen.stored[target] = frame.seen.stored.get(target, True) and fine


def keep(frame: Frame, statement: ast.stmt, target: ast.Attribute, value: Value) -> bool:
    """Store ``self.name = value`` of a constructor as a tensor that may travel with its module.

    False where that is an attribute like any other.
    """
    records = _constructed(frame, target)
    if not records or not isinstance(value, Tensor) or value.parameter:
        return False
    if all(target.attr in record.registered for record in records):
        for record in records:
            _hold(frame, record, target, value, record.node)
        return True
    plan = _plan(frame, target)
    if plan is None or statement not in (*plan.leading, *plan.following):
        return False
    if not is_there(_NOT_PERSISTENT, frame.analysis.program.oldest_torch.version):
        return False  # what stays on the host is moved where it is used
    site = frame.site(SiteKind.BUFFER, plan.leading[0], target.attr)
    if (
        site is None
        or value.leaf
        or not value.certain
        or not is_made_here(frame.graph, value.nodes)
    ):
        frame.seen.stored[target] = False
        return False
    for record in records:
        _offer(frame, record, target, value, site)
    return True


def _constructed(frame: Frame, target: ast.Attribute) -> tuple[ObjectRecord, ...]:
    """The modules whose ``__init__`` sets ``target`` on itself."""
    init = frame.function
    if not frame.building or frame.owner is None or not isinstance(init, ast.FunctionDef):
        return ()
    holder = frame.evaluate(target.value)
    if init.name != "__init__" or _receiver(init) != ast.unparse(target.value):
        return ()
    return holder.modules if isinstance(holder, Instance) else ()


def _receiver(init: ast.FunctionDef) -> str:
    spec = [*init.args.posonlyargs, *init.args.args]
    return spec[0].arg if spec else ""


def _plan(frame: Frame, target: ast.Attribute) -> Plan | None:
    init, plans = frame.function, frame.analysis.plans
    assert isinstance(init, ast.FunctionDef)
    if (init, target.attr) not in plans:
        source = frame.file.text
        assert source is not None
        body = source.once(Bodies).of(init)
        plans[init, target.attr] = registration.plan(body, _receiver(init), target.attr)
    return plans[init, target.attr]


def is_made_here(graph: PlacementGraph, nodes: Iterable[int]) -> bool:
    """Whether a tensor comes from host data and factories alone, made while a module is built.

    What a caller hands in may be anything in another program, a parameter of the caller, too.
    """
    queue, seen = list(nodes), set(nodes)
    while queue:
        node = queue.pop()
        sources = graph.sources(node)
        if sources.get(HOST_NODE, 0.0) >= HARD:
            continue
        if not sources or not sources.keys().isdisjoint((HOST_NODE, TARGET_NODE)):
            return False
        if _is_argument_of_constructor(graph.key(node)):
            return False
        queue += [s for s in sources if s not in seen]
        seen |= sources.keys()
    return bool(seen)


def _is_argument_of_constructor(key: object) -> bool:
    if not isinstance(key, tuple) or key[0] != "parameter":
        return False
    return getattr(key[2], "name", "") == "__init__"


def _offer(
    frame: Frame, record: ObjectRecord, target: ast.Attribute, value: Tensor, site: Site
) -> None:
    """Where ``record`` is on the target, a buffer may be there for the price of an edit."""
    node = frame.graph.node(("buffer", record, target.attr))
    frame.graph.connect(HOST_NODE, node, BUFFER_COST, HARD, site, frame.context)
    frame.graph.connect(record.node, node, STRAY_COST, 0.0)
    init, owner = frame.function, frame.owner
    assert isinstance(init, ast.FunctionDef)
    assert owner is not None
    known = frame.analysis.buffers.get(node)
    built = value.nodes | known.built if known is not None else value.nodes
    frame.analysis.buffers[node] = Candidate(record, owner, init, target.attr, site, built)
    for sharing in frame.analysis.shared.values():
        if value.nodes & sharing:
            sharing.add(node)
    frame.analysis.stale.discard(node)
    _hold(frame, record, target, value, node)


def _hold(
    frame: Frame, record: ObjectRecord, target: ast.Attribute, value: Tensor, node: int
) -> None:
    record.unmoved[target.attr] = value
    frame.store(record, target.attr, value.at(node))
    frame.forget(f"{ast.unparse(target.value)}.{target.attr}")


# -- what the whole program says ---------------------------------------------------------------


def rule_out(analysis: Analysis) -> None:
    """Those that cannot be buffers stay plain attributes of the host."""
    candidates = analysis.buffers.values()
    if not candidates:
        return
    text = registration.survey(file.source.tree for file in analysis.owned)
    unfit = {
        candidate.site
        for candidate in candidates
        if not _fits(analysis, candidate, text) or _is_shared_and_written(analysis, candidate)
    }
    analysis.graph.harden(unfit, Label.TARGET)


def statements(analysis: Analysis, site: Site) -> tuple[ast.Assign, ...]:
    """The assignments that become ``register_buffer`` together."""
    for candidate in analysis.buffers.values():
        if candidate.site == site:
            plan = analysis.plans[candidate.init, candidate.name]
            return plan.leading if plan is not None else ()
    return ()


def agree(analysis: Analysis, solution: Solution, edges: Iterable[Edge]) -> bool:
    """A buffer is where its module is, in every instance of the class."""
    return all(
        solution.label(edge.sink) is solution.label(analysis.buffers[edge.sink].record.node)
        for edge in edges
    )


def stand_alone(analysis: Analysis, edges: Iterable[Edge]) -> bool:
    """The modules are moved in any case, by the program or by those who use its classes."""
    records = [analysis.buffers[edge.sink].record for edge in edges]
    return all(r.moved or r.generic or r.root.moved or r.root.generic for r in records)


def keepers(analysis: Analysis) -> set[ObjectRecord]:
    """The modules with tensors that could be buffers."""
    return {candidate.record for candidate in analysis.buffers.values()}


def _fits(analysis: Analysis, candidate: Candidate, text: Text) -> bool:
    check_time()
    name = candidate.name
    relatives = registration.family(candidate.owner, analysis.classes())
    return (
        registration.is_fit_name(name)
        and not text.tells_buffers_apart
        and name not in text.gradients
        and all(registration.is_ordinary(cls, name) for cls in relatives)
        and not _is_cast(analysis, relatives)
        and _stores_only_tensors(analysis, candidate, text, relatives)
    )


def _is_cast(analysis: Analysis, relatives: Iterable[ClassRecord]) -> bool:
    """``model.double()`` casts buffers, but no plain attributes."""
    classes = set(map(id, relatives))
    return any(r.cast and id(r.cls) in classes for r in analysis.objects())


def _stores_only_tensors(
    analysis: Analysis, candidate: Candidate, text: Text, relatives: tuple[ClassRecord, ...]
) -> bool:
    plan, stored = analysis.plans[candidate.init, candidate.name], analysis.seen.stored
    assert plan is not None
    planned = (*plan.leading, *plan.following)
    targets = [s.targets[0] for s in planned if isinstance(s, ast.Assign)]
    if not all(stored.get(target, False) for target in targets):
        return False
    targets += [s.target for s in planned if isinstance(s, ast.AugAssign)]
    others = text.stores_elsewhere(candidate.name, relatives, targets)
    early = registration.calls_before(candidate.init, plan, relatives)
    for other in others:
        augmented = isinstance(analysis.parents.get(other.target), ast.AugAssign)
        if not augmented and not stored.get(other.target, False):
            return False
        if other.constructs or (early and other.inside):
            return False
    return True


def _is_shared_and_written(analysis: Analysis, candidate: Candidate) -> bool:
    """Two attributes look into one tensor, and one is written: copies on a device would differ."""
    sharing = [
        node
        for node, other in analysis.buffers.items()
        if other.record is candidate.record and other.built & candidate.built
    ]
    return len(sharing) > 1 and any(analysis.graph.is_sealed(node) for node in sharing)
