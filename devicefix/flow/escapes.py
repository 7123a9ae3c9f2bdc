"""What is handed to code that we cannot see: it may do anything with that.

Tensors and modules *meet* what is not known, wherever in the value they are. Functions are called
there, nobody knows when and with what: each is entered once all of the program has been evaluated,
so that what it uses of the scopes around it is used beside something unknown.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from devicefix.flow.analysis import Analysis, Escape
from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.joins import alternatives, join_all, options, parts_in, tensors_in
from devicefix.flow.values import (
    PLAIN,
    Bound,
    Class,
    ClassRecord,
    Either,
    External,
    Function,
    Instance,
    ObjectRecord,
    Opaque,
    Partial,
    Tensor,
    Tuple,
    Unknown,
    Value,
)
from devicefix.source.walking import walk
from devicefix.torch_api import World, world

MAX_DEPTH = 3
"""Objects in attributes of objects that are looked into."""
_DICTS = frozenset({
    "builtins.dict", "collections.ChainMap", "collections.OrderedDict", "collections.UserDict",
    "collections.defaultdict",
})  # fmt: skip
_CALLED = (Bound, Class, Function, Partial)


def hand_over(frame: Frame, tree: ast.expr, value: Value, reason: str) -> None:
    """Code that was not seen gets ``value`` at ``tree``."""
    for node in sorted(reached(value)):
        frame.meet(node, tree, reason)
    note_escape(frame, tree, value, None)


def hand_over_all(frame: Frame, tree: ast.expr, args: Arguments, reason: str) -> None:
    """The same for all arguments of a call."""
    for _, value in args.all():
        hand_over(frame, tree, value, reason)


def reached(value: Value, depth: int = MAX_DEPTH) -> set[int]:
    """The nodes of tensors and modules in ``value``, in attributes of objects, too."""
    found: set[int] = set()
    for level, objects in _levels(value, depth):
        found.update(node for tensor in tensors_in(level) for node in tensor.nodes)
        found.update(record.node for record in objects if record.module and record.node >= 0)
    return found


def objects_in(value: Value, depth: int = MAX_DEPTH) -> set[ObjectRecord]:
    """The objects in ``value``, and in attributes of objects."""
    return {record for _, objects in _levels(value, depth) for record in objects}


def _levels(value: Value, depth: int) -> Iterator[tuple[Value, set[ObjectRecord]]]:
    """``value`` with the objects in it, then what these hold in attributes, and so on.

    Each object is looked into once, from the nearest place: there are more ways to one than can be
    walked.
    """
    met: set[ObjectRecord] = set()
    level = value
    for left in range(depth, -1, -1):
        new = _objects_in(level) - met
        yield level, new
        if not new or not left:
            return
        met |= new
        level = Tuple(tuple(held for record in new for held in record.attributes.values()))


def objects_handed(analysis: Analysis) -> set[ObjectRecord]:
    """All objects that code which was not seen can reach."""
    found, waiting = set[ObjectRecord](), list(analysis.handed)
    while waiting:
        record = waiting.pop()
        if record not in found:
            found.add(record)
            waiting += _objects_in(Tuple(tuple(record.attributes.values())))
    return found


def _objects_in(value: Value) -> set[ObjectRecord]:
    parts = (part for part in parts_in(value) if isinstance(part, Instance))
    return {record for part in parts for record in part.records}


def note_escape(frame: Frame, tree: ast.expr, value: Value, given: Value | None) -> None:
    """Remember the functions in ``value``: at the end they are called with ``given``.

    None: nobody knows what they are called with. The objects in it, too, have methods.
    """
    frame.analysis.handed |= _objects_in(value)
    for callee in callables_in(value):
        function = function_of(callee)
        if function is not None:
            frame.analysis.escaped.add(function.tree)
            name = getattr(function.tree, "name", "a lambda")
            taken = given or Unknown(f"not all callers of {name} were analysed")
            key = (function.tree, function.frame.identity, taken)
            if key not in frame.analysis.escapes:
                frame.analysis.escapes[key] = Escape(frame, tree, callee, taken)
                _let_bind_globals(frame, tree, callee, function, taken)


def _let_bind_globals(
    frame: Frame, tree: ast.expr, callee: Value, function: Function, given: Value
) -> None:
    """What is called back may run from now on: who reads a global that it binds may read that."""
    if any(isinstance(node, (ast.Global, ast.Nonlocal)) for node in walk(function.tree)):
        frame.call(tree, callee, Arguments(rest=(0, given)))


def let_call_methods(frame: Frame, tree: ast.expr, record: ObjectRecord) -> None:
    """An inherited method that nobody has seen may call the others: ``Thread.start`` calls ``run``
    of the subclass."""
    this = Instance(frozenset((record,)))
    for cls in record.cls.ancestry() if record.cls is not None else ():
        for name, found in cls.attributes.items():
            if isinstance(found, Function) and not name.startswith("__"):
                note_escape(frame, tree, Bound(this, name, found), None)


def let_call_back(frame: Frame, tree: ast.expr, name: str, args: Arguments) -> None:
    """Code that does nothing to tensors itself may call what it is given with what it is given."""
    leaves = [part for _, value in args.all() for part in parts_in(value)]
    if not any(any(callables_in(part)) or isinstance(part, Instance) for part in leaves):
        return
    lives = [part for part in leaves if isinstance(part, (Opaque, Tensor, Unknown))]
    given = join_all(lives or [PLAIN])
    for part in leaves:
        note_escape(frame, tree, part, given)
        modules = part.modules if lives and isinstance(part, Instance) else ()
        for module in modules:
            frame.meet(module.node, tree, f"{name} may call it")


def note_names(frame: Frame, tree: ast.expr, scope: Frame, one: str | None = None) -> None:
    """At ``tree`` any name of ``scope`` may be meant, those that it gets later included.

    ``one``: that name is, and no other.
    """
    frame.analysis.open_scopes.append((frame, tree, scope, one, scope.snapshot()))


def meet_names(analysis: Analysis) -> None:
    """Tensors and modules that have a name where names are not written out."""
    for frame, tree, scope, one, names in analysis.open_scopes:
        named = [*names.items(), *scope.snapshot().items()]
        for value in (value for name, value in named if one in (None, name)):
            for node in sorted(reached(value)):
                frame.meet(node, tree, "this can refer to any name in the scope")


def has_unseen_base(cls: ClassRecord) -> bool:
    """Whether methods that nobody has seen work on what its objects hold."""
    return any(
        isinstance(base, Unknown)
        or (isinstance(base, External) and world(base.name) is World.UNKNOWN)
        or (isinstance(base, External) and base.name.startswith("torch.distributions."))
        for record in cls.ancestry()
        for base in record.bases
    )


def keeps_items(cls: ClassRecord) -> bool:
    """``class Out(dict)``: the inherited constructor makes items of what it is given."""
    return not _DICTS.isdisjoint(cls.library_bases())


def callables_in(value: Value) -> Iterator[Value]:
    """The functions and classes of the program in ``value``."""
    for part in parts_in(value):
        for kind in alternatives(part):
            yield from (option for option in options(kind) if isinstance(option, _CALLED))


def function_of(callee: Value) -> Function | None:
    match callee:
        case Function():
            return callee
        case Bound(function=function):
            return function
        case Class(record=record):
            init = record.lookup("__init__")
            return init if isinstance(init, Function) else None
        case Partial(function=function):
            return function_of(function)
        case _:
            return None


def enter_escaped(analysis: Analysis) -> None:
    """Call what unseen code was given, as that may; what comes to light thereby, too."""
    while left := analysis.escapes.keys() - analysis.followed:
        for key in [key for key in analysis.escapes if key in left]:
            analysis.followed.add(key)
            escape = analysis.escapes[key]
            # whoever hands it over need not be running then, however deep that is
            caller = escape.frame if escape.frame.host else escape.frame.module
            args = Arguments(rest=(0, escape.given))
            found = caller.call(escape.tree, escape.callee, args)
            if reached(found) and escape.tree not in analysis.gives_back:
                analysis.gives_back.add(escape.tree)
                analysis.changed = True
            reason = "it is passed to code that was not analysed"
            hand_over(escape.frame, escape.tree, found, reason)


def near_of(args: Arguments) -> frozenset[int]:
    """The nodes of the tensors among the arguments of code that was not analysed."""
    return frozenset[int]().union(*(_near(value) for _, value in args.all()))


def _near(value: Value) -> Iterable[int]:
    if isinstance(value, Unknown) and not isinstance(value, Either):
        return value.near
    return {node for t in tensors_in(value) for node in (t.nodes or t.near)}
