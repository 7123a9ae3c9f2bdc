"""Modules while their ``__init__`` runs: on the host, until someone moves them.

The graph has one node for the parameters of a module: where they live once it is moved. Code of a
constructor runs before that. A layer that ``__init__`` calls to find out a size computes on the
host even if the program puts the whole on a device afterwards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from devicefix.flow.graph import Label
from devicefix.flow.values import Instance, ObjectRecord

if TYPE_CHECKING:
    from devicefix.flow.frame import Frame


def whereabouts(frame: Frame, record: ObjectRecord) -> int:
    """The node of the parameters of ``record`` as the code of ``frame`` finds them."""
    if not is_unfinished(frame, record):
        return record.node
    node = frame.graph.node(("unfinished", record))
    frame.graph.fix(node, Label.HOST)
    return node


def is_unfinished(frame: Frame, record: ObjectRecord) -> bool:
    """A constructor that makes ``record``, or a module around it, has not returned yet."""
    if not frame.building or record.settled or record.root.settled:
        return False
    made_here = record.frame is not None and record.frame.building
    return made_here or _is_constructed(frame, record)


def _is_constructed(frame: Frame, record: ObjectRecord) -> bool:
    current: Frame | None = frame
    while current is not None:
        this = current.receiver if getattr(current.function, "name", "") == "__init__" else None
        if isinstance(this, Instance) and record in this.records:
            return True
        current = current.caller
    return False
