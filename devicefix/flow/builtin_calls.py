"""Python's own functions, as far as they pass tensors on."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial

from msgspec.structs import replace

from devicefix.flow.attributes import attributes_of
from devicefix.flow.computed_names import key_of, set_attribute
from devicefix.flow.descriptors import class_of, defines, made_property
from devicefix.flow.dicts import ANY_NAME
from devicefix.flow.escapes import (
    hand_over,
    hand_over_all,
    has_unseen_base,
    near_of,
    note_names,
    reached,
)
from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.instances import construct, new_object
from devicefix.flow.iteration import dict_of, iterated, new_dict, new_list
from devicefix.flow.joins import element, exact_items, join, join_all
from devicefix.flow.kind_tests import is_instance
from devicefix.flow.memory import fresh
from devicefix.flow.names_by_text import names_of
from devicefix.flow.operands import Operand, combine, note_dtype_use
from devicefix.flow.overloads import compare_items
from devicefix.flow.registries import picked
from devicefix.flow.unfollowed import assign_to_class, change_methods_like
from devicefix.flow.values import (
    NONE,
    NUMBER,
    OWN_NAME,
    PLAIN,
    TEXT,
    Array,
    Bound,
    Class,
    Const,
    Device,
    External,
    File,
    Function,
    Instance,
    Listing,
    Mapping,
    Opaque,
    Stream,
    Tensor,
    Tuple,
    Unknown,
    Value,
    is_none,
    is_number,
)
from devicefix.torch_api import LEGACY_CONSTRUCTORS

_TENSOR_TYPES = frozenset(LEGACY_CONSTRUCTORS) - {"torch.Tensor"}
"""Those that say where a tensor is."""
_CONTAINERS: dict[type[Value], str] = {
    Tuple: "builtins.tuple", Listing: "builtins.list", Mapping: "builtins.dict",
}  # fmt: skip
_SCOPES = frozenset(("globals", "locals", "vars"))
_NUMBERS = frozenset(("bool", "float", "int", "len"))
_NO_TENSORS = frozenset({
    "all", "any", "bin", "bytes", "callable", "complex", "delattr", "dir", "hasattr", "hash",
    "help", "hex", "id", "issubclass", "oct", "ord", "print", "range",
})  # fmt: skip
"""What gives no tensor and nothing that holds one, whatever it is given."""
_TEXTS = frozenset(("ascii", "chr", "format", "input", "repr", "str"))


def call_builtin(frame: Frame, tree: ast.expr, name: str, args: Arguments) -> Value:
    """The result of ``name(args)``."""
    if name in ("print", "str", "repr", "format", "float", "int", "bool", "round"):
        for _, value in args.all():
            note_dtype_use(frame, tree, value)
    _call_key(frame, tree, args)
    handler = _HANDLERS.get(name)
    if handler is not None:
        return handler(frame, tree, args)
    if name in _SCOPES and not args.all():
        _show_names(frame, tree, name)
        return Unknown(OWN_NAME)
    if name in ("eval", "exec"):
        hand_over_all(frame, tree, args, f"{name}() may do anything with it")
        note_names(frame, tree, frame)
        return Unknown(f"the result of {name}()")
    if name in _TEXTS or name in _NUMBERS:
        return TEXT if name in _TEXTS else NUMBER
    if name not in _NO_TENSORS and any(reached(value) for _, value in args.all()):
        return Unknown(f"{name} may return its argument", near_of(args))
    return PLAIN


def _show_names(frame: Frame, tree: ast.expr, name: str) -> None:
    """``globals()`` is all that is named there, and ``globals()["f"]`` one of them; asked whether
    it has a name, it gives nothing."""
    scope = frame.module if name == "globals" else frame
    match frame.analysis.parents.get(tree):
        case ast.Compare():
            return
        case ast.Subscript(slice=ast.Constant(value=str(one)), ctx=ast.Load()):
            note_names(frame, tree, scope, one)
        case _:
            note_names(frame, tree, scope)


def _call_key(frame: Frame, tree: ast.expr, args: Arguments) -> None:
    """``sorted(xs, key=f)`` calls ``f`` with each of them."""
    key = args.value(None, "key")
    if key is None or is_none(key):
        return
    several = len(args.positional) > 1
    given = [v if several else iterated(frame, tree, v) for _, v in args.positional]
    frame.call(tree, key, Arguments([(None, join_all(given))]))


def _first(args: Arguments) -> Value:
    return args.positional[0][1] if args.positional else Unknown("no argument")


def _str(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    """``str(device)`` names the same device."""
    value = _first(args)
    return replace(value, typed=False) if isinstance(value, Device) else TEXT


def _enumerate(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    source = _first(args)
    if isinstance(source, Tuple):
        return Tuple(tuple(Tuple((Const(i), v)) for i, v in enumerate(source.items)))
    return Stream(Tuple((PLAIN, iterated(frame, tree, source))))


def _zip(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    values = [v for _, v in args.positional]
    if args.rest is not None or (_is_spread(tree) and Unknown in map(type, values)):
        # zip(*pairs): streams of what the pairs hold at each position
        part = join_all(values)
        if isinstance(part, Tuple):
            return Tuple(tuple(Stream(item) for item in part.items))
        return Stream(Stream(element(part) or part))
    exact = [v.items for v in values if isinstance(v, Tuple)]
    if len(exact) == len(values) and len({len(e) for e in exact}) == 1:
        return Tuple(tuple(Tuple(row) for row in zip(*exact, strict=True)))
    return Stream(Tuple(tuple(iterated(frame, tree, v) for v in values)))


def _is_spread(tree: ast.expr) -> bool:
    return isinstance(tree, ast.Call) and any(isinstance(a, ast.Starred) for a in tree.args)


def _map(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    function = _first(args)
    parts = [(None, iterated(frame, tree, v)) for _, v in args.positional[1:]]
    return Stream(frame.call(tree, function, Arguments(parts)))


def _filter(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    part = iterated(frame, tree, args.value(1) or Unknown())
    if not is_none(function := _first(args)):
        frame.call(tree, function, Arguments([(None, part)]))
    return Stream(part)


def _sequence(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    if not args.positional:
        return new_list(frame, tree, None)
    source = _first(args)
    if isinstance(source, Tuple):
        record = frame.analysis.list_record((frame.context, tree, ""))
        record.items = source.items
        record.element = join_all(source.items) if source.items else None
        return Listing(frozenset((record,)))
    return new_list(frame, tree, iterated(frame, tree, source))


def _tuple(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    source = _first(args) if args.positional else Tuple(())
    return source if isinstance(source, Tuple) else Stream(iterated(frame, tree, source))


def _next(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    found, default = iterated(frame, tree, _first(args)), args.value(1)
    return found if default is None else frame.bounded(join(found, default))


def _iter(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    source = _first(args)
    if len(args.positional) > 1:  # a function, which is called until it gives the second argument
        return Stream(frame.call(tree, source, Arguments()))
    return source if isinstance(source, Stream) else Stream(iterated(frame, tree, source))


def _reversed(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    source = _first(args)
    if isinstance(source, Tuple):
        return Tuple(source.items[::-1])
    return Stream(iterated(frame, tree, source))


def _reduce(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    """``sum``, ``max``, ``min``, ``abs``, ``pow``, ``round``: arithmetic on what they are given."""
    more = [operand for key, operand in args.keywords if key in ("start", "default")]
    operands: Sequence[Operand] = [*args.positional, *more]
    if len(operands) == 1:
        (_, value) = operands[0]
        if isinstance(value, Instance):
            value = iterated(frame, tree, value)
        operands = [(None, (element(value) or value) if isinstance(value, Tensor) else value)]
    result = combine(frame, tree, operands, pointwise=True)
    if result is not None:
        return result
    if len(operands) == 1 and is_none(args.value(None, "key") or NONE):
        compare_items(frame, tree, operands[0][1])
    if operands and all(is_number(value) for _, value in operands):
        return NUMBER
    value = _first(args)
    part = element(value)
    if isinstance(value, (Array, Opaque)):
        return value
    return part if part is not None and not isinstance(part, Tensor) else PLAIN


def _sum(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    """``sum([[a], [b]], [])`` makes one list of several."""
    start = args.value(1, "start")
    if not isinstance(start, (Listing, Tuple)):
        return _reduce(frame, tree, args)
    rows = element(_first(args))
    return new_list(frame, tree, join(element(rows) if rows is not None else None, element(start)))


def _from_keys(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    """``dict.fromkeys(keys, value)``."""
    value = args.value(1) or NONE
    keys = exact_items(_first(args))
    known = keys is not None and all(isinstance(key, Const) for key in keys)
    if not known:
        return new_dict(frame, tree, {}, value)
    return new_dict(frame, tree, {key.value: value for key in keys or () if isinstance(key, Const)})


def _divmod(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    part = _reduce(frame, tree, args)
    return Tuple((part, part))


def _elementwise(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    value = _first(args)
    return value if isinstance(value, (Tensor, Array, Opaque)) else PLAIN


def _getattr(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    holder, name = _first(args), args.value(1)
    if (
        isinstance(name, Const)
        and isinstance(name.value, str)
        and args.positional[0][0] is not None
    ):
        attribute = frame.analysis.written_out(tree, args.positional[0][0], name.value)
        found, default = frame.evaluate(attribute), args.value(2)
        if default is not None and _is_missing(holder, found):
            return default
        open_ = isinstance(default, Tensor) or (isinstance(holder, Instance) and is_none(default))
        return join(found, default) if default is not None and open_ else found
    if isinstance(holder, External):
        return (
            Unknown(f"some attribute of {holder.name}")
            if holder.name != "torch.nn"
            else External("torch.nn.*")
        )
    if isinstance(holder, File):
        return picked(frame, tree, holder)
    reason = "an attribute whose name is computed"
    hand_over(frame, tree, _all_of(holder), reason)
    return Unknown(reason)


def _is_missing(holder: Value, found: Value) -> bool:
    """Whether nothing of the program gives an object such an attribute, and no base can have it."""
    plain = isinstance(holder, Instance) and all(
        record.cls is not None and not record.module and not has_unseen_base(record.cls)
        for record in holder.records
    )
    return plain and isinstance(found, Bound) and found.function is None


def _all_of(holder: Value) -> Value:
    """An object with its methods, each of which may be meant."""
    if not isinstance(holder, Instance):
        return holder
    methods = [
        Bound(Instance(frozenset((record,))), name, found)
        for record in holder.records
        for cls in (record.cls.ancestry() if record.cls is not None else ())
        for name, found in cls.attributes.items()
        if isinstance(found, Function) and not record.module and not name.startswith("__")
    ]
    return Tuple((holder, *methods))


def _setattr(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    holder, name, value = args.value(0), args.value(1), args.value(2)
    if name is not None and value is not None and defines(holder, "__setattr__"):
        frame.call_method(tree, holder or NONE, "__setattr__", name, value)
    elif isinstance(holder, Class) and value is not None:
        key = key_of(frame, args.get(1) or (None, PLAIN))
        if ANY_NAME in key:
            change_methods_like(frame, tree, holder.record, key, value)
        else:
            assign_to_class(frame, tree, holder.record, key, value)
    else:
        set_attribute(frame, args)
    return NONE


def _put_attribute(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    """``object.__setattr__(x, name, value)``, past what its class does."""
    set_attribute(frame, args, registers=False)
    return NONE


def _sorted(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    if is_none(args.value(None, "key") or NONE):
        compare_items(frame, tree, _first(args))
    return new_list(frame, tree, iterated(frame, tree, _first(args)))


def _isinstance(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    """Decided for tensors and tuples, which recursive helpers tell apart."""
    value, kind = _first(args), args.value(1)
    wanted = kind.items if isinstance(kind, Tuple) else (kind,)
    names = {w.name for w in wanted if isinstance(w, External)}
    answers = {is_instance(value, name) for name in names}
    if True in answers:
        return Const(True)
    types = [LEGACY_CONSTRUCTORS[name] for name in names & _TENSOR_TYPES]
    if isinstance(value, Tensor) and types and all(kind.device == "cpu" for kind in types):
        for node in value.nodes:
            frame.meet(node, tree, "a type of the CPU is asked for")
    return PLAIN if None in answers or len(names) != len(wanted) else Const(False)


def _type(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    """``type(batch)(…)`` makes another one of its kind."""
    value = _first(args)
    if len(args.positional) > 1:
        reason = "a class created by a call"
        hand_over_all(frame, tree, args, reason)
        return Unknown(reason, near_of(args))
    if isinstance(value, (Instance, Unknown)):
        return class_of(value) or Unknown("the class of an unknown object")
    known = not (isinstance(value, Tuple) and value.names)
    name = _CONTAINERS.get(type(value)) if known else None
    return External(name) if name is not None else PLAIN


def _bytearray(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    """Memory that is written: ``torch.frombuffer`` looks into it as into an array."""
    return fresh(frame, tree, None)


def _memoryview(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    source = _first(args)
    return source if isinstance(source, Array) else PLAIN


def _new_object(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    """``object.__new__(cls)``."""
    return new_object(frame, tree, args)


def _type_call(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    """``type.__call__(cls)`` of a metaclass."""
    cls = args.value(0)
    if isinstance(cls, Class):
        return construct(frame, tree, cls, args.after(1))
    hand_over_all(frame, tree, args, "an unknown class")
    return Unknown("an object of an unknown class")


def _as_kind(kind: str, frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    """``make = staticmethod(helper)``: the same function, which is called in another way."""
    function = _first(args)
    return function.as_kind(kind) if isinstance(function, Function) else function


def _property(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    return made_property(args) or PLAIN


def _open(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    return Stream(PLAIN)


def _vars(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    holder = _first(args)
    return (
        attributes_of(frame, tree, holder)
        if isinstance(holder, Instance)
        else names_of(frame, tree, holder)
    )


_HANDLERS: dict[str, Callable[[Frame, ast.expr, Arguments], Value]] = {
    "str": _str,
    "enumerate": _enumerate,
    "zip": _zip,
    "map": _map,
    "filter": _filter,
    "list": _sequence,
    "set": _sequence,
    "frozenset": _sequence,
    "tuple": _tuple,
    "dict": dict_of,
    "dict.fromkeys": _from_keys,
    "next": _next,
    "iter": _iter,
    "reversed": _reversed,
    "sum": _sum,
    "max": _reduce,
    "min": _reduce,
    "math.prod": _reduce,
    "pow": _reduce,
    "divmod": _divmod,
    "abs": _elementwise,
    "round": _elementwise,
    "getattr": _getattr,
    "setattr": _setattr,
    "object.__setattr__": _put_attribute,
    "object.__new__": _new_object,
    "property": _property,
    "staticmethod": partial(_as_kind, "staticmethod"),
    "classmethod": partial(_as_kind, "classmethod"),
    "type.__call__": _type_call,
    "sorted": _sorted,
    "open": _open,
    "bytearray": _bytearray,
    "memoryview": _memoryview,
    "isinstance": _isinstance,
    "type": _type,
    "vars": _vars,
}
