"""Functions of ``torch.autograd``: what ``forward`` leaves for ``backward``, and what comes there.

``ctx`` is an object that both are given: one stands for all calls. The engine calls ``backward``
with a gradient for each output, which is where the output is, and what that returns for an input
has to be where the input is (``validate_outputs`` in torch/csrc/autograd/engine.cpp).
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.joins import join_all
from devicefix.flow.operands import as_tensor
from devicefix.flow.values import (
    NONE,
    PLAIN,
    Bound,
    ClassRecord,
    Const,
    Function,
    Instance,
    ObjectRecord,
    Opaque,
    Plain,
    Tensor,
    Tuple,
    Unknown,
    Value,
    is_none,
)
from devicefix.source import Source
from devicefix.source.walking import walk

FUNCTION: Final = "torch.autograd.Function"
_SAVED: Final = "saved_tensors"
_INPUTS: Final = "inputs of forward"
_OUTPUTS: Final = "outputs of forward"
_BARE: Final = "gradients may be None"
_METHODS: Final = frozenset({
    "mark_dirty", "mark_non_differentiable", "save_for_backward", "save_for_forward",
    "set_materialize_grads",
})  # fmt: skip


def context(frame: Frame, cls: ClassRecord) -> Instance | None:
    """What ``forward`` and ``backward`` of a class know as ``ctx``; None where it has no such."""
    if FUNCTION not in cls.library_bases() or cls.lookup("setup_context") is not None:
        return None
    record, _ = frame.analysis.object_record(("autograd", cls), cls.tree)
    record.keeper = True
    return Instance(frozenset((record,)))


def attribute(record: ObjectRecord, name: str) -> Value:
    """``ctx.saved_tensors``, ``ctx.size``."""
    if name in _METHODS:
        return Bound(Instance(frozenset((record,))), name)
    if name == "needs_input_grad":
        return PLAIN
    key = _SAVED if name in ("saved_tensors", "saved_variables") else name
    found = record.attributes.get(key)
    return _shown(found) if found is not None else Unknown("tensors saved by an autograd function")


def keep(frame: Frame, record: ObjectRecord, name: str, args: Arguments) -> Value:
    """``ctx.save_for_backward(x)``: these surely are tensors, or None."""
    if name == "set_materialize_grads":
        frame.store(record, _BARE, PLAIN)
    if name == "save_for_backward":
        saved: Value = Tuple(tuple(_as_saved(value) for _, value in args.positional))
        spread = any(isinstance(expr, ast.Starred) or expr is None for expr, _ in args.positional)
        frame.store(record, _SAVED, Unknown("saved tensors") if spread else saved)
    return NONE


def _as_saved(value: Value) -> Value:
    if isinstance(value, Opaque) and not (value.part or _is_optional(value)):
        return as_tensor(value, evidence=True)
    return value


def _shown(value: Value) -> Value:
    """Who has kept a parameter that may be None has asked before what it is."""
    if isinstance(value, Tuple):
        return Tuple(tuple(map(_shown, value.items)), value.names)
    return Unknown("a value that may be None") if _is_optional(value) else value


def _is_optional(value: Value) -> bool:
    if not isinstance(value, Opaque) or value.part:
        return False
    frame, name = value.parameter.frame, value.parameter.name
    return (frame.tree, name) in frame.file.source.once(_optional)


def _optional(source: Source) -> frozenset[tuple[ast.AST, str]]:
    """The parameters of the functions of a file that are None by default, or compared with it."""
    found: set[tuple[ast.AST, str]] = set()
    for tree in source.of_type(ast.FunctionDef):
        spec = tree.args
        arguments = [*spec.posonlyargs, *spec.args]
        pairs = zip(arguments[len(arguments) - len(spec.defaults) :], spec.defaults, strict=True)
        found.update((tree, a.arg) for a, d in pairs if isinstance(d, ast.Constant))
        found.update((tree, a.arg) for a in (*arguments, *spec.kwonlyargs) if a.annotation)
        for node in walk(tree):
            sides = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
            if any(isinstance(side, ast.Constant) and side.value is None for side in sides):
                found.update((tree, side.id) for side in sides if isinstance(side, ast.Name))
    return frozenset(found)


def gradient(frame: Frame, cls: ClassRecord, position: int, parameter: ast.arg) -> Value | None:
    """What ``backward`` gets for an output; None where it may be no tensor.

    Its place is that of the output; where nobody knows that, it is a tensor all the same.
    """
    record = _record(frame, cls)
    outputs = _of_all_calls(record, _OUTPUTS) if record is not None else None
    if record is None or _BARE in record.attributes or outputs is None:
        return None
    output = as_tensor(_part(outputs, position) or NONE)
    nodes = output.nodes if isinstance(output, Tensor) and output.certain else frozenset[int]()
    if not nodes or not isinstance(output, Tensor) or output.maybe:
        return None
    node = frame.node("gradient", parameter)
    for other in nodes:
        frame.graph.tie(other, node)
    return Tensor(frozenset((node,)), output.dtype, raw=False)


def is_tensor(frame: Frame, cls: ClassRecord, position: int) -> bool:
    """Whether ``backward`` surely gets a tensor for an output of which nothing else is known."""
    record = _record(frame, cls)
    outputs = _of_all_calls(record, _OUTPUTS) if record is not None else None
    if record is None or _BARE in record.attributes or outputs is None:
        return False
    return not isinstance(_part(outputs, position), (Const, Plain))


def inputs(frame: Frame, function: Function) -> list[Value]:
    """The arguments of ``forward`` as its code finds them."""
    spec = function.tree.args
    names = [a.arg for a in (*spec.posonlyargs, *spec.args)][1:]
    return [frame.held(name) or Unknown("an argument") for name in names]


def note_call(frame: Frame, function: Function, given: Sequence[Value], result: Value) -> None:
    """``forward`` or ``backward`` has been evaluated, with these arguments."""
    record = _record(frame, function.owner) if function.owner is not None else None
    if record is None or isinstance(function.tree, ast.Lambda):
        return
    if function.tree.name == "forward":
        _set(frame, record, _INPUTS, Tuple(tuple(given)))
        _set(frame, record, _OUTPUTS, result)
    elif function.tree.name == "backward":
        known = _of_all_calls(record, _INPUTS)
        for position, value in enumerate(known.items if isinstance(known, Tuple) else ()):
            _return_gradient(frame, position, value, _part(result, position))


def _set(frame: Frame, record: ObjectRecord, name: str, value: Value) -> None:
    """Of each call the newest is kept: more is known of it than in the pass before."""
    key = f"{name} {frame.context}"
    old = record.attributes.get(key)
    if old != value:
        frame.analysis.note_change(record, key, old)
        record.attributes[key] = value


def _of_all_calls(record: ObjectRecord, name: str) -> Value | None:
    found = [v for key, v in record.attributes.items() if key.startswith(f"{name} ")]
    return join_all(found) if found else None


def _return_gradient(frame: Frame, position: int, given: Value, returned: Value | None) -> None:
    """A gradient that is returned for an input has to be where that is: it is a tensor, then."""
    if not isinstance(returned, Tensor) or not returned.nodes or returned.maybe == "other":
        return
    given = as_tensor(given, evidence=not _is_optional(given))
    if not isinstance(given, Tensor):
        return
    meeting = frame.node("gradient", frame.tree, f"{position}")
    for node in given.nodes:
        frame.graph.tie(node, meeting)
    frame.use(None, returned, meeting)


def _record(frame: Frame, cls: ClassRecord) -> ObjectRecord | None:
    found = context(frame, cls)
    return next(iter(found.records)) if found is not None else None


def _part(value: Value, position: int) -> Value | None:
    """One of several results, or the only one."""
    if isinstance(value, Tuple):
        return value.items[position] if position < len(value.items) else None
    return value if position == 0 and not is_none(value) else None


def is_part(function: Function) -> bool:
    """Whether it is ``forward`` or ``backward`` of an autograd function."""
    owner, name = function.owner, getattr(function.tree, "name", "")
    if owner is None or function.kind != "staticmethod" or name not in ("forward", "backward"):
        return False
    return FUNCTION in owner.library_bases()
