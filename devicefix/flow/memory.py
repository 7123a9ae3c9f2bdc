"""Who shares memory with whom: behind a transfer, a write to one no longer reaches the other.

On the CPU ``from_numpy`` looks into the array, ``.numpy()`` into the tensor, and ``.to(device)``
returns the tensor itself; on a device none of that holds (see also `aliases`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from devicefix.flow.graph import HARD, HOST_NODE, Label
from devicefix.flow.joins import parts_in, tensors_in
from devicefix.flow.values import Array, Listing, Mapping, Tensor, Tuple, Value

if TYPE_CHECKING:
    from devicefix.flow.aliases import Way
    from devicefix.flow.frame import Env, Frame

_FILLING = frozenset(("pack_into", "readinto", "readinto1", "recv_into", "recvfrom_into"))
"""Methods of Python's own library that write into a buffer that they are given."""
NAMED = frozenset((Listing, Mapping, Tensor, Tuple))
"""What `read_name` looks into."""


def fresh(frame: Frame, tree: ast.AST, dtype: str | None, least: int | None = None) -> Array:
    """A new array with a buffer of its own."""
    return Array(dtype, frozenset((frame.node("buffer", tree),)), least=least)


def view(frame: Frame, tree: ast.AST, nodes: frozenset[int], dtype: str | None) -> Array:
    """``x.numpy()``: an array that looks into the tensors of ``nodes``."""
    number = frame.node("view", tree)
    frame.analysis.shared[number] = set(nodes)
    frame.analysis.written.pop(number, None)
    return Array(dtype, frozenset((number,)), nodes, least=0)


def share(frame: Frame, node: int, value: Value | None) -> None:
    """The tensor of ``node`` looks into the array ``value``; it was made just now."""
    frame.analysis.stale.discard(node)
    if isinstance(value, Array):
        for number in value.memory:
            frame.analysis.shared.setdefault(number, set()).add(node)


def write_array(frame: Frame, array: Array) -> None:
    """The array is written: tensors that look into it see that, copies on a device would not."""
    analysis = frame.analysis
    for number in array.memory:
        sharing = analysis.shared.get(number, set()) - array.views
        analysis.stale |= sharing
        analysis.aliases.write(sharing, analysis.batches, HOST_NODE)
    analysis.aliases.write(array.views, analysis.batches)
    write_on_host(frame, array.views)


def write_on_host(frame: Frame, nodes: frozenset[int]) -> None:
    """Writing through ``x.numpy()`` changes x: after ``.cpu()`` it would change a copy."""
    frame.seen.views |= nodes
    for node in nodes:
        frame.graph.connect(node, HOST_NODE, 0.0, HARD)


def note_filled(frame: Frame, tree: ast.Call, values: Iterable[Value]) -> None:
    """``file.readinto(buffer)``."""
    if isinstance(tree.func, ast.Attribute) and tree.func.attr in _FILLING:
        for value in values:
            if isinstance(value, Array):
                write_array(frame, value)


def rename(frame: Frame, value: Tensor, node: int) -> Tensor:
    """``value`` under another name, in front of which a transfer may be written."""
    frame.analysis.aliases.name(node, () if value.computed else value.nodes)
    if not value.parts:
        return value.at(node)
    renamed = taken_apart(frame, value.at(node), len(value.parts))
    for known in (frame.analysis.batches, frame.analysis.pinned):
        if value.parts[0] <= known:
            known.update(*renamed.parts)
    return renamed


def taken_apart(frame: Frame, whole: Tensor, depth: int) -> Tensor:
    """The same where it may be a list of tensors: they are where it is, and moved one by one.

    ``depth``: how many lists there may be inside of each other.
    """
    levels = [whole.nodes]
    for _ in range(depth):
        sequences = frame.analysis.sequences
        for node in levels[-1]:
            sequences[node] = frame.graph.node(("part", node))
            frame.graph.tie(node, sequences[node])
        levels.append(frozenset(sequences[node] for node in levels[-1]))
    return replace(whole, parts=tuple(levels[1:]))


def write_tensor(frame: Frame, tensor: Tensor) -> None:
    """The tensor is written in place: its other names see that, and arrays that it looks into."""
    frame.graph.seal(tensor.nodes)
    if not tensor.computed:
        write_memory(frame, tensor.nodes)


def write_parameters(frame: Frame, nodes: frozenset[int]) -> None:
    """``optimizer.step()``: other names of parameters see that, and arrays that look into them."""
    layers = frozenset(record.node for record in frame.analysis.modules)
    write_memory(frame, nodes | layers)


def write_memory(frame: Frame, nodes: frozenset[int]) -> None:
    """What lives at ``nodes`` is written: other names see that, and arrays that look into it."""
    analysis = frame.analysis
    analysis.aliases.write(nodes, analysis.batches)
    names = analysis.aliases.ways(nodes) if analysis.shared else {}
    for number, sharing in analysis.shared.items():
        for node in sharing & names.keys():
            analysis.written[number] = names[node] | analysis.written.get(number, frozenset())


def read_arrays(frame: Frame, value: Value) -> None:
    """Arrays are read after a tensor wrote into them: that tensor has to stay on the host."""
    written = frame.analysis.written
    for array in parts_in(value):
        for number in array.memory & written.keys() if isinstance(array, Array) else ():
            _without_transfer(frame, written[number])
            for node in frame.analysis.shared.get(number, ()):
                frame.graph.fix(node, Label.HOST)


def read_name(frame: Frame, value: Value | None) -> None:
    """What a name holds is read: a tensor, or a container of some."""
    if isinstance(value, Tensor):
        read_tensor(frame, value)
        return
    for tensor in tensors_in(value) if value is not None else ():
        read_tensor(frame, tensor)


def read_tensor(frame: Frame, tensor: Tensor, *, named: bool = True) -> None:
    """A tensor is read after its memory was written elsewhere: it is no copy of before.

    ``named``: it was there before, and is no result of the call that gives it.
    """
    analysis = frame.analysis
    for node in tensor.nodes & analysis.stale:
        frame.graph.fix(node, Label.HOST)
    outdated = analysis.aliases.outdated
    if outdated and named and not tensor.computed:
        for node in tensor.nodes & outdated.keys():
            _without_transfer(frame, outdated[node])


def join_outdated(frame: Frame, env: Env | None, since: int, until: int | None = None) -> None:
    """A branch that leaves ``env`` was taken, or one that has named anew what it holds.

    That one was evaluated between two moments of `Aliases`.
    """
    frame.analysis.aliases.meet(
        lambda: {n for v in (env or {}).values() for t in tensors_in(v) for n in t.nodes},
        since,
        until,
    )


def is_stale(frame: Frame, tensor: Tensor) -> bool:
    """Whether an array that the tensor looks into was written since it began to."""
    stale = frame.analysis.stale
    if not stale or tensor.computed:
        return False
    return not stale.isdisjoint(frame.analysis.aliases.ways(tensor.nodes))


def _without_transfer(frame: Frame, way: Way) -> None:
    for first, second in sorted(way):
        frame.graph.tie(first, second)
