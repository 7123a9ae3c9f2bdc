"""Loops that put something else under each key of a dict: ``batch[k] = v.cuda()``.

A batch of a dataset that nobody has seen is a tensor, until the program uses it as a dict. After a
loop over its keys that moves every item, it is where the items are.
"""

from __future__ import annotations

import ast

from msgspec.structs import replace

from devicefix.flow.frame import Frame
from devicefix.flow.imported import dotted, origins
from devicefix.flow.items import keys_of
from devicefix.flow.values import Tensor, Unknown
from devicefix.source import Source


def renew_items(frame: Frame, loop: ast.For) -> None:
    """What holds of the dict behind the loop."""
    keys = keys_of(loop)
    holder = keys[0] if keys is not None else None
    if frame.env is None or not isinstance(holder, ast.Name) or not _writes_items(loop):
        return
    before, value = frame.env.get(holder.id), renewed_by(frame.file.source, loop)
    if isinstance(before, Tensor):
        after = frame.evaluate(value) if value is not None else None
        if isinstance(after, Tensor) and after.nodes:
            frame.seen.mappings.update(after.nodes)
            frame.bind(holder.id, replace(before, nodes=after.nodes))
        else:
            frame.bind(holder.id, Unknown("a dict that is filled item by item"))


def _writes_items(loop: ast.For) -> bool:
    """Whether something is put under the keys of the dict in the loop."""
    keys = keys_of(loop)
    written = (n for n in ast.walk(loop) if isinstance(n, ast.Subscript))
    stores = (n for n in written if isinstance(n.ctx, ast.Store))
    return keys is not None and any(
        _is_name_of(n.value, keys[0]) and getattr(n.slice, "id", "") == keys[1] for n in stores
    )


def _is_name_of(tree: ast.expr, holder: ast.expr) -> bool:
    """Both are the same name."""
    return isinstance(tree, ast.Name) and isinstance(holder, ast.Name) and tree.id == holder.id


def renewed_by(source: Source, loop: ast.For) -> ast.expr | None:
    """What a loop puts under each key whose item is a tensor, if it leaves none out."""
    keys = keys_of(loop)
    for statement in loop.body if keys is not None else ():
        match statement:
            case ast.If(test=test, body=[only], orelse=[]) if _asks_for_tensor(source, loop, test):
                statement = only
        match statement:
            case ast.Assign(
                targets=[ast.Subscript(value=holder, slice=ast.Name(id=key))], value=value
            ) if keys is not None and _is_name_of(holder, keys[0]) and key == keys[1]:
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
    keys = keys_of(loop)
    match loop.target, item:
        case ast.Tuple(elts=[_, ast.Name(id=name)]), ast.Name(id=asked):
            return named and name == asked
        case _, ast.Subscript(value=holder, slice=ast.Name(id=key)) if keys is not None:
            return named and _is_name_of(holder, keys[0]) and key == keys[1]
    return False
