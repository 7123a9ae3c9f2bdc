"""Where a module is while it is built, before the program moves it, and after it was brought back.

The graph has one node for the parameters of a module: where they live once it is moved. A layer
that ``__init__`` calls to find out a size computes on the host even if the program puts the whole
on a device afterwards; so does a module that is called before its ``.to(device)``, or after its
``.cpu()``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from devicefix.flow.graph import TARGET_NODE, Label
from devicefix.flow.values import Instance, ObjectRecord, Tensor, Value

if TYPE_CHECKING:
    from devicefix.flow.analysis import Analysis
    from devicefix.flow.frame import Frame

EARLY: Final = "early"
"""The kind of node of the parameters of a module before it is moved."""


def whereabouts(frame: Frame, record: ObjectRecord) -> int:
    """The node of the parameters of ``record`` as the code of ``frame`` finds them."""
    if is_unfinished(frame, record):
        return _on_host(frame, record, "unfinished")
    stays, root = frame.analysis.stays, _root_so_far(frame, record)
    if frame.root_context or Label.TARGET not in record.moved_to | root.moved_to:
        return record.node
    if is_gone(frame.analysis, record):
        return record.node  # a list shows it before it is made
    found = {stays.get(record), stays.get(root)}
    if Label.TARGET in found:
        return record.node
    if Label.HOST in found:
        return _on_host(frame, record, "returned")
    return frame.analysis.early.setdefault(root, frame.graph.node((EARLY, root)))


def is_early(frame: Frame, record: ObjectRecord) -> bool:
    """Whether the program moves it, and has not done so yet."""
    return whereabouts(frame, record) in frame.graph.known([(EARLY, _root_so_far(frame, record))])


def _root_so_far(frame: Frame, record: ObjectRecord) -> ObjectRecord:
    """The module that ``record`` is a part of by now, in this pass.

    What takes the place of a part that it wraps (LoRA) may be a part of that, and the other way.
    """
    adopted, met = frame.analysis.adopted, {record}
    while record in adopted and record.parent is not None and record.parent not in met:
        record = record.parent
        met.add(record)
    return record


def is_gone(analysis: Analysis, record: ObjectRecord) -> bool:
    """This pass has not made it, or has taken what it knew of the call that makes it."""
    return record.occurrence is not None and record.occurrence.time < analysis.began


def part_of(frame: Frame, record: ObjectRecord, value: Value) -> Value:
    """A parameter that ``record`` holds, as the code of ``frame`` finds it; else ``value``."""
    if not isinstance(value, Tensor) or record.node not in value.nodes:
        return value
    frame.seen.read_weights.add(record)
    here = whereabouts(frame, record)
    if value.nodes == {record.node}:
        return value.at(here)
    return replace(value, nodes=value.nodes - {record.node} | {here})


def _on_host(frame: Frame, record: ObjectRecord, when: str) -> int:
    node = frame.graph.node((when, record))
    frame.graph.fix(node, Label.HOST)
    return node


def note_move(frame: Frame, records: Iterable[ObjectRecord], label: Label) -> None:
    """The program moves these modules: the first with its parts, of which it has those by now that
    this pass has put in."""
    analysis = frame.analysis
    for number, record in enumerate(records):
        if not number or record in analysis.adopted:
            analysis.stays[record] = label
            analysis.missed.pop(record, None)
            analysis.missed_weights.pop(record, None)
        if label not in record.moved_to:
            record.moved_to.add(label)
            frame.analysis.changed = True


def is_transferred(frame: Frame, node: int) -> bool:
    """Whether a node is what the program has moved to an accelerator."""
    key = frame.graph.key(node)
    moved = isinstance(key, tuple) and key[0] == "to"
    return moved and TARGET_NODE in frame.graph.sources(node)


def note_placed(frame: Frame, record: ObjectRecord, weight: Iterable[int]) -> None:
    """``self.centers = nn.Parameter(torch.zeros(3).cuda())``: the module is made where its weight
    is, as the program says that itself."""
    record.root.moved = record.moved = True
    record.settled = record.settled or frame.building
    note_move(frame, [record], Label.TARGET)
    for node in weight:
        frame.graph.tie(record.node, node)


def goes_and_returns(record: ObjectRecord, label: Label) -> bool:
    """Brought back to the host, it has been on the device: its node is where it was there."""
    return label is Label.HOST and Label.TARGET in record.moved_to


def is_unfinished(frame: Frame, record: ObjectRecord) -> bool:
    """A constructor that makes ``record``, or a module around it, has not returned yet."""
    if not frame.building or record.settled or record.root.settled:
        return False
    running = frame.constructors
    if any(_is_receiver(one, record) for one in running):
        return True
    # a constructor that made it elsewhere has returned, whatever is being constructed here
    calls = {(one.tree, one.context) for one in running}
    return any((one.tree, one.context) in calls for one in _constructors_of(record))


def is_constructed_by(record: ObjectRecord, owner: ObjectRecord) -> bool:
    """Whether ``record`` was made while the constructor of ``owner`` ran, in it or below it."""
    return any(_is_receiver(one, owner) for one in _constructors_of(record))


def _constructors_of(record: ObjectRecord) -> tuple[Frame, ...]:
    """Those that ran where ``record`` was made."""
    return record.frame.constructors if record.frame is not None else ()


def _is_receiver(frame: Frame, record: ObjectRecord) -> bool:
    return isinstance(frame.receiver, Instance) and record in frame.receiver.records


def aliases_submodule(
    frame: Frame, holder: ObjectRecord, part: ObjectRecord, *, late: bool
) -> bool:
    """``holder`` is a container that is filled with parts of another module.

    ``parts = nn.ModuleList([]); parts.append(self.conv)``: they stay parts of that module. So do
    those that its own method puts into a container (``nn.Sequential(self.conv, self.norm)``),
    unless the container becomes a part of the module itself, or the program moves the container.
    """
    owner = part.root
    if owner is part or owner is holder.root or part.parent is holder:
        return False
    if holder.parent is not None or holder.cls is not None or holder.moved_to:
        return False
    return late or _is_own(frame, owner)


def _is_own(frame: Frame, owner: ObjectRecord) -> bool:
    """Whether a method of ``owner``, or of a part of it, is running."""
    return any(module.root is owner for owners in frame.running() for module in owners)


def note_late(frame: Frame, parent: ObjectRecord, child: ObjectRecord) -> None:
    """``net.fc = nn.Linear(3, 2)`` behind ``net = Net()``: what moves ``net`` where it is made does
    not move this.
    """
    if child.parent is not parent or is_unfinished(frame, parent):
        return
    child.late = True
    if not _is_moved(frame, parent) or is_gone(frame.analysis, child.origin or child):
        return
    copied = child.origin is not None and _is_moved(frame, child.origin)
    if not copied and Label.TARGET is not frame.analysis.stays.get(child):
        frame.analysis.missed[child] = None


def note_before(frame: Frame, child: ObjectRecord) -> None:
    """``backbone(x)`` in front of ``net = nn.Sequential(backbone, head)``: what moves ``net`` where
    it is made comes too late for that."""
    if child.called and child.parent is None and not is_unfinished(frame, child):
        child.before = True


def note_beside(modules: frozenset[ObjectRecord]) -> None:
    """``if args.double: net = Twice(net)``: without the option nothing moves what ``Twice`` holds
    where it is made. ``modules``: what may be called at one place."""
    for module in modules:
        if module.root is not module and module.root in modules:
            module.beside = True


def note_late_weights(frame: Frame, record: ObjectRecord, weight: Iterable[int]) -> None:
    """``net.scale = nn.Parameter(torch.ones(1))`` behind ``net = Net()``: the same."""
    if is_unfinished(frame, record):
        return
    nodes = set(weight)
    record.late_weights |= nodes
    if _is_moved(frame, record):
        frame.analysis.missed_weights.setdefault(record, set()).update(nodes)


def _is_moved(frame: Frame, record: ObjectRecord) -> bool:
    """Whether the program has brought a module to the accelerator by now."""
    if frame.root_context:
        return False
    stays = frame.analysis.stays
    return Label.TARGET in (stays.get(record), stays.get(_root_so_far(frame, record)))
