"""Parameters that are computed on each access: ``register_parametrization(layer, "weight", P())``.

``P`` becomes a part of the module, at ``layer.parametrizations.weight[0]``, and moves with it. It
is called with the parameter when it is registered, and each time that the parameter is read.
https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.parametrize.register_parametrization.html
"""

from __future__ import annotations

import ast
from typing import Final

from devicefix.flow.construction import is_gone, is_unfinished, whereabouts
from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.values import Const, Instance, ObjectRecord, Tensor, Value

_REGISTER: Final = "torch.nn.utils.parametrize.register_parametrization"
_HOLDER: Final = "parametrizations"
_ORIGINALS: Final = {
    _REGISTER: ("original",),
    "torch.nn.utils.parametrizations.orthogonal": ("original",),
    "torch.nn.utils.parametrizations.spectral_norm": ("original",),
    "torch.nn.utils.parametrizations.weight_norm": ("original0", "original1"),
}
"""What each of them keeps the parameter as."""


def parametrize(frame: Frame, tree: ast.expr, name: str, args: Arguments) -> Value | None:
    """What a call of the library gives that registers a parametrization; None for any other, and
    where it is not known what is registered."""
    module = args.value(0, "module")
    if name not in _ORIGINALS or not isinstance(module, Instance) or not module.modules:
        return None
    own = name == _REGISTER
    key = args.value(1, "tensor_name" if own else "name") or Const("weight")
    part = args.value(2, "parametrization") if own else None
    if not (isinstance(key, Const) and isinstance(key.value, str)):
        return None
    if own and not (isinstance(part, Instance) and part.modules):
        return None
    for record in module.modules:
        held = _held(frame, tree, record, key.value, _ORIGINALS[name])
        if isinstance(part, Instance):
            _add(frame, record, held, key.value, part)
            if args.value(None, "unsafe") != Const(True):
                recompute(frame, tree, record, key.value)
    return module


def recompute(frame: Frame, tree: ast.expr, record: ObjectRecord, name: str) -> None:
    """``record.name`` is read: what it is computed by gets what it is computed from."""
    for part in record.parametrized.get(name, ()):
        if not is_gone(frame.analysis, part):
            weight = Tensor(frozenset((whereabouts(frame, record),)), record.dtype, raw=False)
            frame.call_method(tree, Instance(frozenset((part,))), "forward", weight)


def recompute_all(frame: Frame, tree: ast.expr, record: ObjectRecord) -> None:
    """The same for each of its parameters: its code reads them."""
    for name in record.parametrized:
        recompute(frame, tree, record, name)


def _held(
    frame: Frame, tree: ast.expr, record: ObjectRecord, name: str, originals: tuple[str, ...]
) -> ObjectRecord:
    """``record.parametrizations.name``, with the parameters that it keeps."""
    every = _container(frame, tree, record, _HOLDER, "torch.nn.ModuleDict")
    held = _container(frame, tree, every, name, "torch.nn.ModuleList")
    held.stateful = True
    for original in originals:
        held.attributes[original] = Tensor(frozenset((held.node,)), record.dtype, raw=False)
    return held


def _container(
    frame: Frame, tree: ast.expr, owner: ObjectRecord, name: str, layer: str
) -> ObjectRecord:
    """A part of ``owner`` under this name."""
    record, new = frame.analysis.object_record((_HOLDER, owner, name), tree)
    if new:
        record.layer, record.module, record.frame = layer, True, frame
        record.context, record.dtype = frame.context, owner.dtype
        record.node = frame.graph.node(("object", record))
        frame.analysis.modules.append(record)
        owner.attributes[name] = Instance(frozenset((record,)))
        frame.analysis.changed = True
    record.occurrence = frame.occurrence(tree)
    frame.adopt(owner, record)
    return record


def _add(frame: Frame, record: ObjectRecord, held: ObjectRecord, name: str, part: Instance) -> None:
    """``part`` is one more that computes the parameter."""
    known = record.parametrized.setdefault(name, [])
    for child in part.modules:
        if child not in known:
            known.append(child)
            held.children.append(Instance(frozenset((child,))))
            frame.analysis.changed = True
        frame.adopt(held, child)
        child.late = child.late or not is_unfinished(frame, record)
