"""Attributes and items that the program moves itself: what is read afterwards is what came.

An attribute holds all that is ever stored in it. Where ``self.x = self.x.to(device)`` stores the
old value at a new place, the old one is gone from there on; and what is read before has not been
moved yet. For functions that nobody calls there is no before and after: what somebody may have put
elsewhere by then, at a device that is not known here, is at no place that is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from devicefix.flow.values import Mapping, Record, Tensor, Tuple, Value

if TYPE_CHECKING:
    from devicefix.flow.frame import Frame

ANY_KEY = object()
"""Stands for all items of a dict: ``for key in batch: batch[key] = batch[key].to(device)``."""
_Place = tuple[Record, object]


class Arrivals(Struct, eq=False):
    """What has been moved so far in this pass, and what will be."""

    _origins: dict[int, frozenset[int]] = field(default_factory=dict)
    """Where the tensors that a transfer gives come from, by node."""
    _here: dict[_Place, Tensor] = field(default_factory=dict)
    _moved: dict[_Place, frozenset[int]] = field(default_factory=dict)
    """The nodes that arrive somewhere at any time."""
    _adrift: set[_Place] = field(default_factory=set)
    """What is made or moved in one function, and in another one at a device that it is given."""

    def restart(self) -> None:
        """A new pass begins: nothing has been moved yet."""
        self._here.clear()

    def note_transfer(self, before: Value, after: Value) -> None:
        """``after`` is ``before``, moved."""
        if isinstance(before, Tensor) and isinstance(after, Tensor) and before.nodes:
            for node in after.nodes - before.nodes:
                self._origins[node] = self._origins.get(node, frozenset()) | before.nodes

    def pass_on(self, before: Tensor, after: int) -> None:
        """A name or container gives ``before`` a node of its own."""
        origins = [self._origins.get(node) for node in before.nodes]
        if origins and None not in origins:
            self._origins[after] = frozenset().union(*(o for o in origins if o is not None))

    def note_store(self, holder: Record, key: object, old: Value | None, new: Value) -> bool:
        """``new`` is stored where ``old`` was, or one of what it may have been.

        Returns whether that is news for what has been read there.
        """
        place = (holder, key)
        self._note_move(place, old, new)
        if not isinstance(old, Tensor) or not isinstance(new, Tensor) or place in self._adrift:
            return False
        if bool(old.nodes) is bool(new.nodes):
            return False
        self._adrift.add(place)
        return True

    def _note_move(self, place: _Place, old: Value | None, new: Value) -> None:
        if not isinstance(old, Tensor) or not isinstance(new, Tensor) or not new.nodes:
            self._here.pop(place, None)
        elif all(self._origins.get(node, frozenset()) & old.nodes for node in new.nodes):
            self._here[place] = new
            self._moved[place] = self._moved.get(place, frozenset()) | new.nodes
        else:
            self._here.pop(place, None)

    def forget(self, holder: Record) -> None:
        """The holder is made anew."""
        for place in [p for p in self._here if p[0] is holder]:
            del self._here[place]

    def renew(self, item: Value) -> None:
        """A loop takes its next ``item``."""
        if isinstance(item, Tuple):
            for part in item.items:
                self.renew(part)
        for record in item.records if isinstance(item, Mapping) else ():
            if record.renewed:
                self.forget(record)

    def now(self, frame: Frame, holder: Record, key: object, value: Value) -> Value:
        """What ``value``, which is all that the place ever holds, is at this moment."""
        place = (holder, key)
        if frame.root_context and isinstance(value, Tensor) and place in self._adrift:
            return replace(value, nodes=frozenset())
        if frame.root_context or not isinstance(value, Tensor) or not self._moved:
            return value
        here = self._here.get(place) or self._here.get((holder, ANY_KEY))
        if here is not None:
            return replace(value, nodes=here.nodes)
        later = self._moved.get(place, frozenset())
        return replace(value, nodes=value.nodes - later) if value.nodes - later else value
