"""Expressions at a place that may name the device, likeliest first; `Proof` says which do."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Container, Iterator, Sequence, Set

from devicefix.flow.analysis import Analysis
from devicefix.flow.files import forced
from devicefix.flow.frame import Frame
from devicefix.flow.functions import is_module
from devicefix.flow.gpu_choice import first_question
from devicefix.flow.late import only_asks
from devicefix.flow.observations import Occurrence
from devicefix.flow.operands import as_tensor
from devicefix.flow.partners import Company
from devicefix.flow.proof import held
from devicefix.flow.scopes import FUNCTIONS
from devicefix.flow.scripts import bound_names
from devicefix.flow.values import (
    Class,
    ClassRecord,
    Const,
    Device,
    File,
    Function,
    Import,
    Instance,
    Mapping,
    Opaque,
    Tensor,
    Value,
    as_device,
)
from devicefix.flow.weights import held_by
from devicefix.source import Source
from devicefix.source.walking import walk

_DEVICES = (Device, Const, Import)
_HOLDERS = (Class, File, Instance, Mapping)
"""What may hold a device."""
_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return)


def named(analysis: Analysis, seen: Occurrence) -> Iterator[str]:
    """Devices in scope, options of the user, what objects in scope hold."""
    names, hidden = seen.names, _hidden(seen.frame)
    found = [n for n, _ in seen.those_of(_DEVICES) if n not in hidden]
    devices = sorted(found, key=lambda n: (n.count("."), "device" not in n, n))
    holders = [(option, option.partition(".")[0]) for option in _options(analysis)]
    options = [option for option, holder in holders if holder in names and holder not in hidden]
    # beside an option that things are moved to, one that nothing asks for may be another device
    unasked = seen.frame.file.source.once(_never_read) if options and devices else ()
    idle = [n for n in devices if n in unasked]
    yield from (n for n in devices if n not in idle)
    yield from options
    yield from _asked(analysis, seen)
    yield from idle
    yield from sorted(_held(seen, hidden), key=lambda text: text.count(".") + text.count("["))


def _held(seen: Occurrence, hidden: Container[str]) -> Iterator[str]:
    """What objects in scope hold."""
    receiver = receiver_name(seen.frame)
    for name, value in seen.those_of(_HOLDERS):
        if name.isidentifier() and name not in hidden and name != receiver:
            yield from _held_devices(name, value)
        elif name == receiver and name not in hidden:
            yield from _own_devices(seen.frame, name, value)
    if receiver in seen.names and receiver not in hidden:
        yield from _own_devices(seen.frame, receiver, seen.names[receiver])


def _asked(analysis: Analysis, seen: Occurrence) -> Iterator[str]:
    """Calls that the file uses as a device, of functions that have one meaning in all of it."""
    file = seen.frame.file
    waits = file.owned and file.source.once(first_question).waits
    for text in () if waits else analysis.seen.device_calls.get(file, ()):
        root = text.removesuffix("()").partition(".")[0]
        inside = any(root in names for names in seen.scopes[:-1])
        value = held(seen.names, text.removesuffix("()")) if not inside else None
        value = forced(seen.frame, value) if isinstance(value, Import) else value
        if isinstance(value, Function) and only_asks(value.tree, value.frame.file.source):
            yield text


def own_devices(seen: Occurrence) -> Iterator[str]:
    """Devices that the functions around the place have been given, or have bound."""
    for frame, names in zip(_visible(seen.frame), seen.scopes, strict=True):
        if not isinstance(frame.tree, ast.Module):
            yield from (n for n, v in names.items() if isinstance(v, Device) and n.isidentifier())


def _visible(frame: Frame) -> list[Frame]:
    """The frames whose names are seen from inside: a class's own are not."""
    above = [frame]
    while (parent := above[-1].parent) is not None:
        above.append(parent)
    return [f for f in above if f is frame or not isinstance(f.tree, ast.ClassDef)]


def met(
    seen: Occurrence, company: Company, without: Callable[[int], bool] = lambda _: False
) -> Iterator[str]:
    """``x.device`` of what a value is combined with, those of the same statement first.

    A function asks no tensor of the script around it that its statement does not name, and nothing
    that it does not read itself: ``output, _ = model(x)``.
    """
    function = seen.frame.function
    inner = seen.scopes[:-1] if function is not None else seen.scopes
    idle = seen.frame.file.source.once(_unread).get(function, frozenset()) if function else ()
    around = (name for scope in inner for name in scope if name not in idle)
    names = dict.fromkeys((*_beside(seen), *around)) if company.far else ()
    tensors = {name: _nodes(seen.names[name]) for name in names if name.isidentifier()}
    tensors = {name: nodes for name, nodes in tensors.items() if not any(map(without, nodes))}
    yield from (f"{name}.device" for name, nodes in tensors.items() if nodes & company.near)
    yield from (f"{name}.device" for name, nodes in tensors.items() if nodes & company.far)


def modules_met(seen: Occurrence, company: Company) -> Iterator[str]:
    """``next(net.parameters()).device`` of the modules in scope that a value is combined with."""
    scopes = seen.scopes[:-1] if seen.frame.function is not None else seen.scopes
    for name in dict.fromkeys(name for scope in scopes for name in scope if name.isidentifier()):
        value = seen.names[name]
        modules = value.modules if isinstance(value, Instance) else ()
        if modules and all(record.node in company.far for record in modules):
            yield f"next({name}.parameters()).device"


def _nodes(value: Value) -> frozenset[int]:
    value = as_tensor(value) if isinstance(value, Opaque) and not value.part else value
    sure = isinstance(value, Tensor) and value.certain and not value.maybe
    return value.nodes if isinstance(value, Tensor) and sure else frozenset()


def own_module(seen: Occurrence) -> str:
    """The name of the module whose method it is; empty elsewhere."""
    owner = seen.frame.owner
    return receiver_name(seen.frame) if owner is not None and is_module(owner) else ""


def own_weights(seen: Occurrence, company: Company) -> dict[str, bool]:
    """``self.fc.weight.device``: tensors of the module whose method it is, the nearest first.

    And whether they are those of a layer that is met.
    """
    name = own_module(seen)
    found = held_by(name, seen.names[name]) if name in seen.names else ()
    own = [one for one in found if _is_own(one[0], seen.frame)]
    order = sorted(own, key=lambda one: (one[1] not in company.near, one[0].count(".")))
    return {f"{path}.device": node in company.far for path, node in order}


def _options(analysis: Analysis) -> Iterator[str]:
    """Options of the user that are a device; a number is one to ``.to()`` and to nothing else."""
    yield from sorted(analysis.seen.device_options.keys() - analysis.seen.unfit_options)


def _hidden(frame: Frame) -> Set[str]:
    """The names that a star import brings, where nothing in the file says that they are there."""
    starred = frame.file.starred
    return starred - frame.file.source.once(_names) if starred else starred


def _names(source: Source) -> frozenset[str]:
    """All that stand in a file."""
    return frozenset(node.id for node in source.nodes if isinstance(node, ast.Name))


def _never_read(source: Source) -> frozenset[str]:
    """Names that are bound at the top of a file, and that nothing in it asks for."""
    inside: set[ast.AST] = set()
    for tree in source.of_type(ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda):
        own = bound_names(tree)
        inside.update(n for n in walk(tree) if isinstance(n, ast.Name) and n.id in own)
    seen = [n for n in source.of_type(ast.Name) if n not in inside]
    read = {n.id for n in seen if not isinstance(n.ctx, ast.Store)}
    return frozenset(n.id for n in seen) - read


def _unread(source: Source) -> dict[ast.AST, frozenset[str]]:
    """By function, the names that it binds, and that nothing in it reads."""
    found = {}
    for function in source.of_type(*FUNCTIONS, ast.Lambda):
        names = [node for node in walk(function) if isinstance(node, ast.Name)]
        read = {name.id for name in names if isinstance(name.ctx, ast.Load)}
        found[function] = frozenset(name.id for name in names) - read
    return found


def tensor_parameters(seen: Occurrence) -> Iterator[str]:
    """``x.device`` for every parameter that may be a tensor, of the functions around, too."""
    frame: Frame | None = seen.frame
    while frame is not None:
        tree, receiver = frame.tree, receiver_name(frame)
        if isinstance(tree, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield from (f"{p}.device" for p in parameter_names(tree) if p != receiver)
        frame = frame.parent


def beside(seen: Occurrence) -> Iterator[str]:
    """``x.device`` for every tensor of the statement around the place."""
    yield from (f"{name}.device" for name in _beside(seen))


def _beside(seen: Occurrence) -> Iterator[str]:
    """Names that stand for a tensor in the statement around the place."""
    statement: ast.AST | None = seen.place
    while statement is not None and not isinstance(statement, ast.stmt):
        statement = seen.frame.analysis.parents.get(statement)
    parts = [statement] if isinstance(statement, _SIMPLE) else []
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        yield statement.target.id
    for node in (n for part in parts for n in walk(part)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            value = seen.names.get(node.id)
            other = value is None or value.beside.none or value.beside.other
            if value is not None and not other and _nodes(value):
                yield node.id


def local_tensors(seen: Occurrence) -> Iterator[str]:
    """``x.device`` for the tensors that the function has by now, the oldest first."""
    for name, value in seen.names.items():
        if isinstance(value, Tensor) and value.certain and not value.maybe:
            yield f"{name}.device"


def far(seen: Occurrence) -> Iterator[str]:
    """Modules among the parameters, or held by the object."""
    names, function = seen.names, seen.frame.function
    if function is None:
        return
    receiver = receiver_name(seen.frame)
    yield from (
        f"next({p}.parameters()).device" for p in parameter_names(function) if p != receiver
    )
    if receiver in names:
        held = _held_modules(receiver, names[receiver])
        yield from (t for t in held if _is_own(t.removeprefix("next("), seen.frame))


def without(candidates: Iterator[str], moved: Sequence[str], seen: Occurrence) -> Iterator[str]:
    """The candidates that do not ask what is ``moved`` there (or what holds it) where it is."""
    names = seen.names
    for text in candidates:
        asked = text.removesuffix(".device")
        if any(asked.startswith((f"{m}.", f"{m}[")) for m in moved):
            continue
        if asked != text and asked in moved:
            continue
        if asked.startswith("next("):
            asked = asked.removeprefix("next(").removesuffix(".parameters())")
        elif not isinstance(names.get(asked), (Tensor, Opaque)):
            yield text
            continue
        if not any(m == asked or m.startswith(f"{asked}.") for m in moved):
            yield text


def _held_devices(
    name: str, value: Value, depth: int = 2, strings: Container[ast.expr] = ()
) -> Iterator[str]:
    """``args.device``, ``config["device"]``, ``self.args.device``.

    ``strings``: those that the program uses as devices, where they count as well.
    """
    if isinstance(value, Mapping):
        for mapping in value.records:
            for key, held in mapping.items.items():
                if _is_device(held, strings) and isinstance(key, str):
                    yield f"{name}[{key!r}]"
    attributes = list(_attributes(value))
    yield from (f"{name}.{part}" for part, held in attributes if _is_device(held, strings))
    for attribute, held in attributes if depth > 1 else ():
        if isinstance(held, (Instance, Mapping)):
            yield from _held_devices(f"{name}.{attribute}", held, depth - 1)


def _is_device(value: Value, strings: Container[ast.expr]) -> bool:
    """A device, or one of these strings: it will name any."""
    if isinstance(value, Const):
        used = value.written and all(tree in strings for tree in value.written)
        return bool(used) and as_device(value) is not None
    return isinstance(value, Device)


def _attributes(value: Value) -> Iterator[tuple[str, Value]]:
    """What hangs on an object, a class, or another file of the program."""
    if isinstance(value, Instance):
        for record in value.records:
            yield from record.attributes.items()
            if record.cls is not None:
                yield from record.cls.attributes.items()
    elif isinstance(value, Class):
        own = value.record
        yield from ((n, held) for n, held in own.attributes.items() if n not in own.fields)
    elif isinstance(value, File) and value.record.frame is not None:
        yield from (value.record.frame.env or {}).items()


def _held_modules(receiver: str, value: Value) -> Iterator[str]:
    for record in value.records if isinstance(value, Instance) else ():
        for attribute, part in record.attributes.items():
            if isinstance(part, Instance) and part.modules and attribute.isidentifier():
                yield f"next({receiver}.{attribute}.parameters()).device"


def _own_devices(frame: Frame, receiver: str, value: Value) -> Iterator[str]:
    found = _held_devices(receiver, value, strings=frame.analysis.seen.device_strings)
    yield from (text for text in found if _is_own(text, frame))


def _is_own(text: str, frame: Frame) -> bool:
    """``self.name…`` in a method: whether its class, or a base, defines ``name``; what only an heir
    does is not there for the others."""
    name, owner = re.split(r"[.\[]", text)[1], frame.owner
    if owner is None:
        return True
    home = frame.analysis.parents.get(frame.function) if frame.function is not None else None
    cls = next((record for record in owner.ancestry() if record.tree is home), owner)
    return any(name in r.attributes or name in _stored_in(r) for r in cls.ancestry())


def _stored_in(cls: ClassRecord) -> frozenset[str]:
    text = cls.frame.file.text  # nothing but the class itself matters, which was looked up
    return text.once(_stored)[cls.tree] if text is not None else frozenset()


def _stored(source: Source) -> dict[ast.ClassDef, frozenset[str]]:
    """What the methods of each class of a file set, or register, on their objects."""
    return {cls: frozenset(_stored_by(cls)) for cls in source.of_type(ast.ClassDef)}


def _stored_by(cls: ast.ClassDef) -> Iterator[str]:
    methods = (f for f in cls.body if isinstance(f, FUNCTIONS) and f.args.args)
    for node in (node for method in methods for node in walk(method)):
        match node:
            case ast.Attribute(value=ast.Name(), attr=name, ctx=ast.Store()):
                yield name
            case ast.Call(args=[ast.Constant(value=str(name)), *_]):
                yield name  # of `register_buffer`, `add_module`


def receiver_name(frame: Frame) -> str:
    """The name of a method's own object (``self``); empty in other functions."""
    function = frame.function
    if frame.owner is None or function is None or isinstance(function, ast.Lambda):
        return ""
    kinds = frame.seen.decorators.get(function, frozenset())
    if {"builtins.classmethod", "builtins.staticmethod"} & kinds:
        return ""
    arguments = [*function.args.posonlyargs, *function.args.args]
    return arguments[0].arg if arguments else ""


def parameter_names(function: ast.AST) -> list[str]:
    """The named parameters of a function or lambda."""
    assert isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
    spec = function.args
    return [a.arg for a in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)]
