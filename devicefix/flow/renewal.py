"""Loops that put something else at each place of a dict or list: ``batch[k] = v.cuda()``.

A batch of a dataset that nobody has seen is a tensor, until the program uses it as a dict. After a
loop over its keys that moves every item, it is where the items are; so is a list after one over its
positions.
"""

from __future__ import annotations

import ast

from msgspec.structs import replace

from devicefix.flow.frame import Frame
from devicefix.flow.imported import dotted, origins
from devicefix.flow.items import keys_of
from devicefix.flow.values import Stream, Tensor, Unknown
from devicefix.source import Source
from devicefix.source.walking import walk


def renew_items(frame: Frame, loop: ast.For) -> None:
    """What holds of the dict or list behind the loop."""
    places = _places_of(loop)
    holder = places[0] if places is not None else None
    if frame.env is None or not isinstance(holder, ast.Name) or not _writes_items(loop):
        return
    before, value = frame.env.get(holder.id), renewed_by(frame.file.source, loop)
    after = frame.evaluate(value) if value is not None else None
    if isinstance(before, Stream) and after is not None:
        frame.bind(holder.id, Stream(after))
    elif isinstance(before, Tensor) and keys_of(loop) != places:
        if before.parts and isinstance(after, Tensor) and after.nodes:
            frame.bind(holder.id, replace(before, nodes=after.nodes, parts=()))
    elif isinstance(before, Tensor):
        if isinstance(after, Tensor) and after.nodes:
            frame.seen.mappings.update(after.nodes)
            frame.bind(holder.id, replace(before, nodes=after.nodes))
        else:
            frame.bind(holder.id, Unknown("a dict that is filled item by item"))


def _places_of(loop: ast.For) -> tuple[ast.expr, str] | None:
    """What has the places that a loop goes through one by one, and the name that it gives them:
    the keys of a dict, or the positions of a list (``range(len(xs))``, ``enumerate(xs)``)."""
    match loop.target, loop.iter:
        case (
            ast.Name(id=position),
            ast.Call(
                func=ast.Name(id="range"),
                args=[ast.Call(func=ast.Name(id="len"), args=[holder])],
            ),
        ):
            return holder, position
        case (
            ast.Tuple(elts=[ast.Name(id=position), _]),
            ast.Call(func=ast.Name(id="enumerate"), args=[holder], keywords=[]),
        ):
            return holder, position
    return keys_of(loop)


def _writes_items(loop: ast.For) -> bool:
    """Whether something is put at these places in the loop."""
    places = _places_of(loop)
    written = (n for n in walk(loop) if isinstance(n, ast.Subscript))
    stores = (n for n in written if isinstance(n.ctx, ast.Store))
    return places is not None and any(
        _is_name_of(n.value, places[0]) and getattr(n.slice, "id", "") == places[1] for n in stores
    )


def _is_name_of(tree: ast.expr, holder: ast.expr) -> bool:
    """Both are the same name."""
    return isinstance(tree, ast.Name) and isinstance(holder, ast.Name) and tree.id == holder.id


def renewed_by(source: Source, loop: ast.For) -> ast.expr | None:
    """What a loop puts at each place that holds a tensor, if it leaves none out."""
    places = _places_of(loop)
    for statement in loop.body if places is not None else ():
        match statement:
            case ast.If(test=test, body=[only], orelse=[]) if _asks_for_tensor(source, loop, test):
                statement = only
        match statement:
            case ast.Assign(
                targets=[ast.Subscript(value=holder, slice=ast.Name(id=key))], value=value
            ) if places is not None and _is_name_of(holder, places[0]) and key == places[1]:
                return value
    return None


def _asks_for_tensor(source: Source, loop: ast.For, test: ast.expr) -> bool:
    """``isinstance(v, torch.Tensor)``, ``torch.is_tensor(batch[k])``, of the loop's own item."""
    known = source.once(origins)
    match test:
        case ast.Call(func=ast.Name(id="isinstance"), args=[item, kind]):
            named = dotted(kind, known) == "torch.Tensor"
        case ast.Call(args=[item]):
            named = dotted(test.func, known) == "torch.is_tensor"
        case _:
            return False
    places = _places_of(loop)
    match loop.target, item:
        case ast.Tuple(elts=[_, ast.Name(id=name)]), ast.Name(id=asked):
            return named and name == asked
        case _, ast.Subscript(value=holder, slice=ast.Name(id=key)) if places is not None:
            return named and _is_name_of(holder, places[0]) and key == places[1]
    return False
