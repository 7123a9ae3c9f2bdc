"""Who shares memory with whom: behind a transfer, a write to one no longer reaches the other.

On the CPU ``from_numpy`` looks into the array, ``.numpy()`` into the tensor, and ``.to(device)``
returns the tensor itself; on a device none of that holds (ARCHITECTURE.md, "Aliases").
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from devicefix.flow.graph import HARD, HOST_NODE, Label
from devicefix.flow.joins import parts_in
from devicefix.flow.values import Array, Value

if TYPE_CHECKING:
    from devicefix.flow.frame import Frame

_FILLING = frozenset(("pack_into", "readinto", "readinto1", "recv_into", "recvfrom_into"))
"""Methods of Python's own library that write into a buffer that they are given."""


def fresh(frame: Frame, tree: ast.AST, dtype: str | None, least: int | None = None) -> Array:
    """A new array with a buffer of its own."""
    return Array(dtype, frozenset((frame.node("buffer", tree),)), least=least)


def view(frame: Frame, tree: ast.AST, nodes: frozenset[int], dtype: str | None) -> Array:
    """``x.numpy()``: an array that looks into the tensors of ``nodes``."""
    number = frame.node("view", tree)
    frame.analysis.shared[number] = set(nodes)
    frame.analysis.written.discard(number)
    return Array(dtype, frozenset((number,)), nodes, least=0)


def share(frame: Frame, node: int, value: Value | None) -> None:
    """The tensor of ``node`` looks into the array ``value``; it was made just now."""
    frame.analysis.stale.discard(node)
    if isinstance(value, Array):
        for number in value.memory:
            frame.analysis.shared.setdefault(number, set()).add(node)


def write_array(frame: Frame, array: Array) -> None:
    """The array is written: tensors that look into it see that, copies on a device would not."""
    for number in array.memory:
        frame.analysis.stale |= frame.analysis.shared.get(number, set()) - array.views
    frame.seen.views |= array.views
    for node in array.views:
        # writing through x.numpy() changes x: after .cpu() it would change a copy
        frame.graph.connect(node, HOST_NODE, 0.0, HARD)


def note_filled(frame: Frame, tree: ast.Call, values: Iterable[Value]) -> None:
    """``file.readinto(buffer)``."""
    if isinstance(tree.func, ast.Attribute) and tree.func.attr in _FILLING:
        for value in values:
            if isinstance(value, Array):
                write_array(frame, value)


def write_tensor(frame: Frame, nodes: frozenset[int]) -> None:
    """The tensor is written in place: arrays that it looks into see that."""
    frame.graph.seal(nodes)
    _mark_written(frame, nodes)


def write_parameters(frame: Frame, nodes: frozenset[int]) -> None:
    """``optimizer.step()``: arrays that look into parameters see that."""
    layers = frozenset(record.node for record in frame.analysis.modules)
    _mark_written(frame, nodes | layers)


def _mark_written(frame: Frame, nodes: frozenset[int]) -> None:
    for number, sharing in frame.analysis.shared.items():
        if nodes & sharing:
            frame.analysis.written.add(number)


def read_arrays(frame: Frame, value: Value) -> None:
    """Arrays are read after a tensor wrote into them: that tensor has to stay on the host."""
    for array in parts_in(value):
        for number in array.memory & frame.analysis.written if isinstance(array, Array) else ():
            for node in frame.analysis.shared.get(number, ()):
                frame.graph.fix(node, Label.HOST)


def read_tensor(frame: Frame, nodes: frozenset[int]) -> None:
    """A tensor is read after its array was written: it cannot have been moved before."""
    for node in nodes & frame.analysis.stale:
        frame.graph.fix(node, Label.HOST)
