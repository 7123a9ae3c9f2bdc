"""Functions that nobody calls: their parameters say what they are by how they are used.

Among such functions a call tells nothing new: its arguments are parameters themselves, or what was
computed from them. So the code that is reached from nowhere is looked at function by function, each
once, and a call takes what was found; only arguments that have something to tell (a tensor that was
made on the host, a device, a module) are followed into the function.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.flow import autograd
from devicefix.flow.analysis import Analysis
from devicefix.flow.annotations import annotated, type_name
from devicefix.flow.costs import USE_COST
from devicefix.flow.data import call_data
from devicefix.flow.device_parameters import used_as_device
from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.functions import is_host_class, open_parameter, run, stand_in
from devicefix.flow.joins import parts_in
from devicefix.flow.modules import make_layer
from devicefix.flow.operands import Operand
from devicefix.flow.values import (
    NUMBER,
    PLAIN,
    RECURSIVE,
    TEXT,
    Class,
    ClassRecord,
    Const,
    Device,
    External,
    Function,
    Instance,
    ObjectRecord,
    Opaque,
    Parameter,
    Plain,
    Stream,
    Tensor,
    Tuple,
    Unknown,
    Value,
    as_device,
)
from devicefix.torch_api import DataKind

MAX_NESTED = 4
"""Functions that are looked at while others wait for what is found."""


def evaluate_uncalled(analysis: Analysis, function: Function) -> None:
    """Evaluate a function as if somebody that nobody has seen had called it.

    A constructor is not, where the program makes such objects: they would have the same parts.
    """
    if _is_constructor(function) and function.owner and made(analysis, function.owner):
        return
    analysis.evaluated_uncalled.add(function.tree)
    analysis.nested += 1
    _evaluate(analysis, function)
    analysis.nested -= 1


def _evaluate(analysis: Analysis, function: Function) -> None:
    caller = Frame(analysis, function.tree, function.frame)
    caller.root_context = True
    inner = Frame(
        analysis,
        function.tree,
        function.frame,
        context=analysis.context(None, function.tree, function.tree),
        caller=caller,
        owner=function.owner,
    )
    inner.host = function.owner is not None and is_host_class(function.owner)
    _bind_roots(inner, function)
    run(inner, function)


def _bind_roots(inner: Frame, function: Function) -> None:
    tree = function.tree
    parameters = [*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs]
    defaults = [
        *[None] * (len(parameters) - len(tree.args.kwonlyargs) - len(tree.args.defaults)),
        *tree.args.defaults,
        *tree.args.kw_defaults,
    ]
    start = 0
    if function.owner is not None and function.kind != "staticmethod" and parameters:
        this: Value = Class(function.owner)
        if function.kind != "classmethod":
            objects = _instance(inner, function.owner)
            inner.analysis.received[tree] = objects.records
            this = objects
        inner.receiver = this
        inner.bind(parameters[0].arg, this, parameters[0])
        start = 1
    elif autograd.is_part(function) and parameters and function.owner is not None:
        start = _bind_context(inner, function.owner, parameters)
    for parameter, default in list(zip(parameters, defaults, strict=True))[start:]:
        value = None
        if start and inner.receiver is None and getattr(tree, "name", "") == "backward":
            value = _gradient(inner, function, parameters.index(parameter) - 1, parameter)
        inner.bind(parameter.arg, value or _root_value(inner, parameter, default), parameter)
    for extra in (tree.args.vararg, tree.args.kwarg):
        if extra is not None:
            inner.bind(extra.arg, Unknown(f"the parameter {extra.arg!r}"))


def _bind_context(inner: Frame, cls: ClassRecord, parameters: list[ast.arg]) -> int:
    """``ctx`` of an autograd function; how many parameters are bound now."""
    context = autograd.context(inner, cls)
    if context is None:
        return 0
    inner.bind(parameters[0].arg, context, parameters[0])
    return 1


def _gradient(inner: Frame, function: Function, position: int, parameter: ast.arg) -> Value | None:
    """What the engine calls ``backward`` with."""
    assert function.owner is not None
    found = autograd.gradient(inner, function.owner, position, parameter)
    if found is None and autograd.is_tensor(inner, function.owner, position):
        found = _root_value(inner, parameter, None)
        if isinstance(found, Opaque):
            found.parameter.tensor = found.parameter.declared = True
    return found


def _root_value(inner: Frame, parameter: ast.arg, default: ast.expr | None) -> Value:
    said = annotated(inner.parent or inner, parameter)
    if said in (None, PLAIN, TEXT):
        said = used_as_device(inner, parameter, default) or said
    if isinstance(said, Device):
        inner.seen.note_given(said)
        return said
    if said is None and default is None and (typed := _of_torch(inner, parameter)) is not None:
        return typed
    if isinstance(default, ast.Constant) and isinstance(default.value, (int, float, str)):
        number = said == NUMBER or isinstance(default.value, float)
        return NUMBER if number else PLAIN
    if said is not None:
        return said
    if isinstance(default, ast.Name):
        usual = inner.parent.lookup(default.id) if inner.parent is not None else None
        if isinstance(usual, (Class, Function)):
            return usual  # what callers hand over is at least as able
    return Opaque(open_parameter(inner, parameter))


def _of_torch(inner: Frame, parameter: ast.arg) -> Value | None:
    """``net: nn.Module``, which is where callers compute, and ``loader: DataLoader``."""
    said, named = parameter.annotation, type_name(inner.parent or inner, parameter)
    if said is not None and named == "torch.nn.Module":
        made = make_layer(inner, said, named, Arguments())
        for record in made.records:
            record.generic = record.moved = True
        return made
    if said is not None and named == "torch.utils.data.DataLoader":
        return call_data(inner, said, DataKind.LOADER, named, Arguments())
    return None


def _instance(frame: Frame, cls: ClassRecord) -> Instance:
    """The objects of ``cls`` that the program makes, else one that stands for all."""
    found = made(frame.analysis, cls)
    if found:
        return Instance(frozenset(found))
    record, new = stand_in(frame, cls, cls.tree)
    init = cls.lookup("__init__")
    if new and isinstance(init, Function) and init.tree not in frame.analysis.entered:
        evaluate_uncalled(frame.analysis, init)
    return Instance(frozenset((record,)))


def made(analysis: Analysis, cls: ClassRecord) -> list[ObjectRecord]:
    """The objects of ``cls`` that the program makes; tests make theirs for themselves."""
    return [
        r
        for r in analysis.instances.get(cls, ())
        if not r.generic and not (r.frame and analysis.is_test(r.frame.entry))
    ]


# -- calls among them ------------------------------------------------------------------------------


def reused_result(
    frame: Frame, tree: ast.expr, function: Function, args: Arguments
) -> Value | None:
    """What a call gives that tells its function nothing new; None where it has to be followed.

    Both ends are code that nobody calls, so the function is looked at by itself, and its parameters
    are what any caller would bring. What is brought here has to be where they are.
    """
    if not _is_general(frame, function) or _makes_an_object(function, args):
        return None
    bound = _bound(function, args)
    if bound is None or not all(is_usual(frame, value) for _, (_, value) in bound):
        return None
    analysis = frame.analysis
    if function.tree not in analysis.evaluated_uncalled:
        if analysis.nested >= MAX_NESTED:
            return None
        evaluate_uncalled(analysis, analysis.definitions[function.tree])
    if not _is_received(frame, function, args):
        return None
    context = analysis.context(None, function.tree, function.tree)
    frame.seen.entries.setdefault(context, {})[frame.context, tree] = frame.occurrence(tree)
    given = {}
    for name, (expr, value) in bound:
        record = analysis.parameters.get((function.tree, name))
        if record is not None:
            _bring(frame, expr, value, record)
            given[record] = value
    result = analysis.awaited_result(("result", function.tree, context))
    return _filled(result, given) if result is not None else Unknown(RECURSIVE)


def _makes_an_object(function: Function, args: Arguments) -> bool:
    """A constructor, and what it makes does not stand for all that nobody makes."""
    this = args.positional[0][1] if args.positional else None
    stands = isinstance(this, Instance) and all(record.generic for record in this.records)
    return _is_constructor(function) and not stands


def _is_constructor(function: Function) -> bool:
    return getattr(function.tree, "name", "") == "__init__"


def _is_general(frame: Frame, function: Function) -> bool:
    """Whether nobody calls the code on both ends, and nothing but arguments tells them apart."""
    tree, scope = function.tree, function.frame
    named = isinstance(tree, (ast.FunctionDef, ast.AsyncFunctionDef))
    inside = scope.parent if isinstance(scope.tree, ast.ClassDef) else scope
    at_top = inside is not None and inside.parent is None
    building = frame.building and not _is_constructor(function)
    free = not (frame.host or building or frame.default is not None)
    known = frame.analysis.definitions.get(tree) is not None
    return frame.root_context and named and at_top and free and known


def _bound(function: Function, args: Arguments) -> list[tuple[str, Operand]] | None:
    """The arguments by the names of their parameters, the receiver left out; None: not known."""
    if args.rest is not None:
        return None
    spec = function.tree.args
    names = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    skipped = int(function.owner is not None and function.kind != "staticmethod")
    found = list(zip(names, args.positional, strict=False))[skipped:]
    found += [("", operand) for operand in args.positional[len(names) :]]
    for name, operand in args.keywords:
        if name is None and not isinstance(operand[1], (Unknown, Opaque)):
            return None
        found.append((name or "", operand))
    return found


def _is_received(frame: Frame, function: Function, args: Arguments) -> bool:
    """Whether the function was looked at with the object whose method is called."""
    if function.owner is None or function.kind in ("staticmethod", "classmethod"):
        return True
    this = args.positional[0][1] if args.positional else None
    received = frame.analysis.received.get(function.tree, frozenset())
    return isinstance(this, Instance) and this.records <= received


def is_usual(frame: Frame, value: Value) -> bool:
    """Whether a value is what anybody might bring: it does not tell where it is, nor what."""
    return all(_is_usual(frame, part) for part in _shown(value))


def _shown(value: Value) -> Iterator[Value]:
    if isinstance(value, (Tuple, Stream)):
        yield from parts_in(value)
    else:
        yield value


def _is_usual(frame: Frame, value: Value) -> bool:
    match value:
        case Tensor(nodes=nodes, dtype=dtype, parameter=own, maybe=maybe, near=near):
            plain = dtype in (None, "float32") and not (own or maybe or near)
            return plain and not frame.graph.may_be_made(nodes)
        case Const(value=str()):
            return as_device(value) is None
        case Plain(choice=choice):
            return not choice
        case Instance(records=records):
            return not any(record.module for record in records)
        case Opaque(parameter=parameter):
            return not parameter.module
        case _:
            return isinstance(value, (Const, Unknown, External))


def _bring(frame: Frame, expr: ast.expr | None, value: Value, record: Parameter) -> None:
    """An argument has to be where the parameter is."""
    if not record.tensor:
        return
    if isinstance(value, Opaque) and not value.part:
        value.parameter.tensor = value.parameter.tensor or not record.sifted
        if expr is not None and not record.sifted:
            value.parameter.shown.add(expr)
    elif not isinstance(value, (Opaque, Instance)):
        frame.use(expr, value, record.node, to_target=USE_COST)


def _filled(result: Value, given: dict[Parameter, Value]) -> Value:
    """``result`` with the arguments of a call in place of the parameters."""
    match result:
        case Opaque(parameter=parameter) if parameter in given:
            value = given[parameter]
            if result.part and isinstance(value, Opaque):
                return Opaque(value.parameter, part=True)
            return value if not result.part or isinstance(value, Tensor) else result
        case Tuple(items=items):
            return Tuple(tuple(_filled(item, given) for item in items))
        case _:
            return result
