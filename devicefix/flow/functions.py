"""Calling the program's own functions and classes: every call is evaluated in its own context."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator, Sequence

from msgspec.structs import replace

from devicefix.flow import autograd
from devicefix.flow.annotations import annotated, says_tensor
from devicefix.flow.autocasts import casts_on_cpu
from devicefix.flow.costs import USE_COST
from devicefix.flow.dicts import items_of
from devicefix.flow.escapes import hand_over, hand_over_all, reached
from devicefix.flow.frame import MAX_DEPTH, Arguments, Frame
from devicefix.flow.graph import Label
from devicefix.flow.iteration import new_dict
from devicefix.flow.joins import join, join_all, nesting, parts_in
from devicefix.flow.memory import rename
from devicefix.flow.modules import place_under_default
from devicefix.flow.neighbours import is_idle, is_nowhere
from devicefix.flow.operands import Operand, is_there_in_part
from devicefix.flow.optimizers import hold_parameters
from devicefix.flow.record_classes import (
    fill_fields,
    is_record_class,
)
from devicefix.flow.values import (
    BOTTOM,
    NONE,
    RECURSIVE,
    Class,
    ClassRecord,
    Either,
    External,
    Function,
    Instance,
    Mapping,
    ObjectRecord,
    Opaque,
    Parameter,
    Stream,
    Tensor,
    Tuple,
    Unknown,
    Value,
    as_device,
)
from devicefix.torch_api import layer

_HOST_BASES = (
    "torch.utils.data.Dataset",
    "torch.utils.data.IterableDataset",
    "torch.utils.data.Sampler",
    "torch.utils.data.BatchSampler",
    "torch.utils.data.TensorDataset",
    "torch.utils.data.Subset",
)
MAX_RECURSION = 3
"""How many times a recursive call with other objects is followed."""
MAX_TURNS = 12
"""Times that a function is executed again which calls itself: values only grow, and no deeper than
`joins.MAX_DEPTH`."""
_ANSWER_FOR_ALL = ("__getattribute__", "__torch_function__")
"""Methods that come before all others of a class, or before those of torch."""
_FRAMEWORKS = ("pytorch_lightning.", "lightning.")
_MODULE_BASES = ("torch.nn.", "torch.jit.ScriptModule", "pytorch_lightning.", "lightning.")


def call_function(
    frame: Frame, tree: ast.expr, function: Function, args: Arguments, *, host: bool = False
) -> Value:
    """The result of a call, evaluated in a context of its own."""
    analysis = frame.analysis
    ongoing = list(_active(frame, function.tree))
    active = ongoing[0] if ongoing else None
    values = tuple(value for _, value in args.all())
    if _only_passes_on(frame, values):
        return Unknown("the result of a decorated function")
    if is_idle(function, values):
        return Unknown(f"the result of {getattr(function.tree, 'name', 'a lambda')}")
    found = (
        analysis.semantics.reused_result(frame, tree, function, args)
        if frame.root_context
        else None
    )
    if found is not None:
        return found
    if active is not None:
        frame.seen.recursions.setdefault(function.tree, set()).add(tree)
    if frame.calls >= MAX_DEPTH:
        if active is None:
            analysis.give_up(f"its calls are nested more than {MAX_DEPTH} deep")
        reason = f"calls nested more than {MAX_DEPTH} deep are not analysed"
        hand_over_all(frame, tree, args, reason)
        made = any(frame.graph.may_be_made(reached(value)) for value in values)
        if made or not frame.root_context:  # else it is looked at by itself
            hand_over(frame, tree, function, reason)
        context = active.context if active else 0
        return analysis.awaited_result(("result", function.tree, context)) or Unknown(RECURSIVE)
    if active is not None and not _goes_on(ongoing, values):
        _bring(frame, tree, ongoing, function, args)
        return _promised(frame, active)
    inner = Frame(
        analysis,
        function.tree,
        function.frame,
        context=_context(frame, tree, function, values),
        caller=frame,
        owner=function.owner,
    )
    entries = frame.seen.entries.setdefault(inner.context, {})
    entries[frame.context, tree] = frame.occurrence(tree)
    inner.given = values
    inner.host = inner.host or host or _works_on_host(function)
    if inner.host:
        analysis.hosted.add(function.tree)
    if inner.building:
        frame.seen.run_by_constructors.add(function.tree)
    key = (function.tree, inner.context)
    known = analysis.known_result(("result", function.tree, inner.context))
    given = (function.frame.context, values)
    if known is not None and given in analysis.memo.get(key, ()):
        # the same call in the same context: what its objects hold by now, the next pass sees
        return known
    bind_parameters(inner, frame, function, args)
    begun = _begun(inner, function, values)
    if known is not None and begun in analysis.begun.get(key, ()):
        return known
    result = run(inner, function)
    analysis.memo.setdefault(key, set()).add(given)
    analysis.begun.setdefault(key, set()).add(begun)
    return result


def _promised(frame: Frame, active: Frame) -> Value:
    """What a call inside ``active`` gives that is not followed: what ``active`` gave before.

    All calls between the two lean on that.
    """
    found = frame.analysis.awaited_result(("result", active.tree, active.context))
    active.promised = active.promised or [found]
    caller: Frame | None = frame
    while caller is not None and caller is not active:
        active.leaning.add((caller.tree, caller.context))
        caller = caller.caller
    return found or Unknown(RECURSIVE)


def _begun(inner: Frame, function: Function, values: tuple[Value, ...]) -> Hashable:
    """All that the body of ``function`` is given in its context: what its names are once the
    parameters are bound, and how its caller runs.

    Tensors that come from elsewhere are the same here: the parameter has a node of its own.
    """
    assert inner.env is not None
    names = tuple(inner.env.items())
    spread = values if function.tree.args.kwarg is not None else ()
    state = inner.entry, inner.depth, inner.host, inner.building, inner.built
    around = inner.inside, inner.root_context, inner.default, inner.receiver
    return function.frame.context, names, spread, state, around


def _bring(
    frame: Frame, tree: ast.expr, begun: Sequence[Frame], function: Function, args: Arguments
) -> None:
    """A recursive call that is not followed: its tensors go where those of its caller are."""
    spec = function.tree.args
    names = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    named = [*zip(names, args.positional, strict=False)]
    named += [(key, operand) for key, operand in args.keywords if key is not None]
    for name, (expr, value) in named:
        nodes = frame.graph.known([("parameter", begun[0].context, begun[0].tree, name)])
        if isinstance(value, Tensor) and nodes:
            frame.use(expr, value, min(nodes), to_target=USE_COST)
        elif not _was_given(begun, value):
            for place in sorted(reached(value)):
                frame.meet(place, tree, "a recursive call that was not analysed")


def _was_given(begun: Sequence[Frame], value: Value) -> bool:
    """Whether one of the calls that have begun does to ``value`` what this one would do."""
    return any(value in each.given for each in begun)


def _only_passes_on(frame: Frame, values: Sequence[Value]) -> bool:
    """``return fn(*args, **kwargs)`` in what a decorator makes, where nobody calls that.

    The calls of the function that is decorated are evaluated as its own: this one adds nothing.
    """
    wraps = frame.root_context and frame.tree in frame.analysis.wrappers
    return wraps and bool(values) and all(isinstance(value, Unknown) for value in values)


def _context(frame: Frame, tree: ast.expr, function: Function, values: Sequence[Value]) -> int:
    """The context of a call; those that bring nothing to a file that is only read share one."""
    analysis = frame.analysis
    if not function.frame.file.owned and all(
        is_nowhere(v) for each in values for v in parts_in(each)
    ):
        return analysis.shared_context(function.tree)
    return analysis.context(frame, tree, function.tree)


def run(inner: Frame, function: Function) -> Value:
    """Execute the body of ``function`` in ``inner``, whose parameters are bound.

    Where that calls itself, it is executed until it gives what those calls were told that it does.
    """
    names = dict(inner.env or {})
    result = _run_once(inner, function)
    for _ in range(MAX_TURNS):
        if not inner.promised or inner.promised == [result]:
            break
        inner.analysis.forget_calls(inner.leaning)
        inner.begin_again(names)
        result = _run_once(inner, function)
    return result


def _run_once(inner: Frame, function: Function) -> Value:
    analysis = inner.analysis
    analysis.entered.add(function.tree)
    tree = function.tree
    if isinstance(tree, ast.Lambda):
        result = inner.evaluate(tree.body)
        inner.flush()
        return analysis.join_result(("result", tree, inner.context), result)
    name = tree.name
    inner.inside = inner.inside or (function.owner is not None and is_module(function.owner))
    if function.owner is not None and name == "__init__":
        inner.building = inner.building or is_module(function.owner)
        if inner.building:
            inner.built = inner.built or inner.context
    engine = autograd.is_part(function)
    given = autograd.inputs(inner, function) if engine else []
    around = analysis.for_the_cpu
    analysis.for_the_cpu = around or casts_on_cpu(function.frame, tree.decorator_list)
    inner.execute(tree.body)
    analysis.for_the_cpu = around
    inner.flush()
    result = inner.result if inner.result is not None else NONE
    if engine:
        autograd.note_call(inner, function, given, result)
    if inner.yielded is not None:
        result = Stream(inner.yielded)
    elif isinstance(tree, ast.AsyncFunctionDef):
        result = Stream(result)  # until somebody awaits it
    result = inner.bounded(_as_the_caller_knows(inner, result))
    return analysis.join_result(("result", tree, inner.context), result)


def _works_on_host(function: Function) -> bool:
    return function.owner is not None and is_host_class(function.owner)


def _active(frame: Frame, tree: ast.AST) -> Iterator[Frame]:
    """The frames that are already evaluating ``tree``, the last first: the call is recursive."""
    caller: Frame | None = frame
    while caller is not None:
        if caller.tree is tree:
            yield caller
        caller = caller.caller


def _goes_on(begun: Sequence[Frame], given: Sequence[Value]) -> bool:
    """Whether a recursive call is followed: it is given a part of what its caller was, which comes
    to an end, or an object that none of those before it were given, so many times."""
    most = max(map(nesting, begun[0].given), default=0)
    if max(map(nesting, given), default=0) < most:
        return True
    objects = [value for value in given if not isinstance(value, Tensor)]
    new = any(not _was_given(begun, value) for value in objects)
    return new and len(begun) <= MAX_RECURSION and any(map(reached, objects))


def bind_parameters(inner: Frame, outer: Frame, function: Function, args: Arguments) -> None:
    """Bind arguments and defaults to the parameters of ``function``."""
    spec = function.tree.args
    names = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    given: dict[str, Operand] = dict(zip(names, args.positional, strict=False))
    if args.rest is not None:
        at, value = args.rest
        given |= dict.fromkeys(names[at:], (None, value))
    rest = args.positional[len(names) :]
    extra: dict[object, Value] = {}
    unseen: Value | None = None
    loose = set[object]()
    others: Value = BOTTOM
    known = {*names, *(a.arg for a in spec.kwonlyargs)}
    for key, operand in args.keywords:
        if key is None:
            loose |= _spread_keywords(operand[1], known, given, extra)
            others = join(others, _rest_of(operand[1]))
            unseen = unseen if isinstance(operand[1], Mapping) else operand[1]
        elif key in known:
            given[key] = operand
        else:
            extra[key] = operand[1]
    loose -= {key for key, _ in args.keywords}
    if others != BOTTOM:  # each of the other parameters may be under a key that is not known
        open_ = known - given.keys() - {a.arg for a in spec.posonlyargs}
        given |= dict.fromkeys(open_, (None, others))
        loose |= open_
    spread = {*(names[args.rest[0] :] if args.rest is not None else ()), *loose}
    for name, default in _defaults(spec):
        if name in given and name not in spread:
            continue
        inner.seen.defaults.add(default)
        own = function.frame.evaluate(default)
        # of what is spread there may be less
        given[name] = (None, join_all((given[name][1], own)) if name in given else own)
    if function.owner is not None and args.positional:
        inner.receiver = args.positional[0][1]
        _note_built_for_cpu(inner, function, given)
    for argument in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs):
        name = argument.arg
        operand = given.get(name, (None, Unknown(f"the parameter {name!r}")))
        if isinstance(operand[1], (Opaque, Unknown)):
            said = annotated(function.frame, argument)
            if said is None and _is_unseen_tensor(function, argument, operand[1]):
                said = Opaque(open_parameter(inner, argument))
                inner.opened |= {said.parameter.node}
            operand = (operand[0], said or operand[1])
        bind_parameter(inner, outer, argument, operand)
    if spec.vararg:
        inner.bind(spec.vararg.arg, Tuple(tuple(v for _, v in rest)))
    if spec.kwarg:
        # keywords that nobody has seen may hold anything, a device included
        own_dict = new_dict(inner, function.tree, extra, others if others != BOTTOM else None)
        for record in own_dict.records:
            record.perhaps |= loose & extra.keys()
        inner.bind(spec.kwarg.arg, unseen or own_dict)


def _note_built_for_cpu(inner: Frame, function: Function, given: dict[str, Operand]) -> None:
    """``Net(device="cpu")``: who gives a module that device, or leaves it at that default, has
    decided where it runs; its own tensors would stay there if it were moved."""
    this = inner.receiver
    if getattr(function.tree, "name", "") != "__init__" or not isinstance(this, Instance):
        return
    for expr, value in given.values():
        device = as_device(value)
        for record in this.modules if device and device.label is Label.HOST else ():
            inner.meet(record.node, expr or function.tree, "the module is created for the CPU")


def _is_unseen_tensor(function: Function, argument: ast.arg, value: Value) -> bool:
    """Whether nothing but the annotation tells that it is a tensor."""
    unseen = isinstance(value, Unknown) and not isinstance(value, Either) and not value.near
    return unseen and says_tensor(function.frame, argument)


def open_parameter(inner: Frame, argument: ast.arg) -> Parameter:
    """What its uses say of a parameter, whatever a caller that nobody has seen brings."""
    key = (inner.tree, argument.arg)
    record = inner.analysis.parameters.get(key)
    if record is None:
        record = inner.analysis.parameters[key] = Parameter(argument.arg, inner)
    record.frame = inner
    record.node = inner.graph.node(("root", *key))
    if says_tensor(inner.parent or inner, argument):
        record.tensor = record.declared = True
    return record


def _as_the_caller_knows(inner: Frame, result: Value) -> Value:
    """``result`` without what the annotation of something unknown says: it holds inside alone."""
    if not inner.opened:
        return result
    match result:
        case Opaque(parameter=parameter) if parameter.node in inner.opened:
            return Unknown(f"the parameter {parameter.name!r}")
        case Tensor(nodes=nodes) if not inner.opened.isdisjoint(inner.graph.made_of(nodes)):
            return Unknown(f"the result of {getattr(inner.tree, 'name', 'a lambda')}")
        case Tuple(items=items):
            shown = tuple(_as_the_caller_knows(inner, item) for item in items)
            return replace(result, items=shown)
        case _:
            return result


def _spread_keywords(
    value: Value, known: set[str], given: dict[str, Operand], extra: dict[object, Value]
) -> set[object]:
    """Add what ``**value`` gives; returns the keys that may not be among its."""
    loose = set[object]()
    for key, item, sure in items_of(value) if isinstance(value, Mapping) else ():
        if isinstance(key, str) and key in known:
            given[key] = (None, item)
        elif isinstance(key, str):
            extra[key] = item
        if not sure:
            loose.add(key)
    return loose


def _rest_of(value: Value) -> Value:
    """What is under the keys of ``**value`` that are not known."""
    records = value.records if isinstance(value, Mapping) else ()
    return join_all(record.element for record in records)


def _defaults(spec: ast.arguments) -> list[tuple[str, ast.expr]]:
    positional = [*spec.posonlyargs, *spec.args]
    tail = positional[len(positional) - len(spec.defaults) :]
    pairs = list(zip((a.arg for a in tail), spec.defaults, strict=True))
    pairs += [(a.arg, d) for a, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if d]
    return pairs


def bind_parameter(inner: Frame, outer: Frame, parameter: ast.arg, operand: Operand) -> None:
    """One parameter: a tensor argument may be transferred on its way in."""
    name, (expr, value) = parameter.arg, operand
    known = isinstance(value, Tensor) and value.nodes and not inner.host
    if isinstance(value, Tensor) and known and not is_there_in_part(outer, value):
        node = inner.graph.node(("parameter", inner.context, inner.tree, name))
        outer.use(expr, value, node, to_target=USE_COST)
        value = rename(outer, value, node)
    inner.bind(name, value, parameter)


# -- classes -----------------------------------------------------------------------------------


def is_module(record: ClassRecord) -> bool:
    """Whether instances are ``nn.Module``s; so are those of unseen bases that have a `forward`."""
    known = any(
        base.startswith(_MODULE_BASES) and not base.startswith("torch.nn.utils")
        for base in record.library_bases()
    )
    return known or (_has_unseen_base(record) and isinstance(record.lookup("forward"), Function))


def _has_unseen_base(record: ClassRecord) -> bool:
    """A base in code that was not read: a file of the project, or a library built on torch."""
    bases = [base for cls in record.ancestry() for base in cls.bases]
    return any(
        isinstance(base, Unknown)
        or (isinstance(base, External) and not base.name.startswith(("torch.", "builtins.")))
        for base in bases
    )


def is_host_class(record: ClassRecord) -> bool:
    """Datasets, samplers and transforms do their work on the host, in worker processes too."""
    if record.transforms:
        return True
    return any(base in _HOST_BASES or base.endswith("Dataset") for base in record.library_bases())


def allocate(frame: Frame, tree: ast.expr, cls: Class) -> Instance:
    """A new object of a class of the program, which nothing has been put into."""
    if is_module(cls.record) and _builds_stand_in(frame):
        record, _ = stand_in(frame, cls.record, tree)  # one stands for all that nobody makes
    else:
        record, _ = frame.analysis.object_record((frame.context, tree, cls.record), tree)
        prepare(frame, record, cls.record)
    frame.analysis.arrivals.forget(record)
    if record.module:
        place_under_default(frame, record)
    return Instance(frozenset((record,)))


def initialize(frame: Frame, tree: ast.expr, this: Instance, cls: Class, args: Arguments) -> None:
    """What ``__init__`` does to new objects."""
    init = cls.record.lookup("__init__")
    host = any(record.host for record in this.records)
    if isinstance(init, Function):
        call_function(frame, tree, init, args.before((None, this)), host=host)
        return
    for record in this.records:
        if is_record_class(cls.record):
            fill_fields(frame, record, cls.record, args)
        elif record.module or record.host:
            for number, operand in enumerate(args.positional):
                frame.store(record, f"*{number}", operand[1])
        else:
            hold_parameters(frame, record, args)


def _builds_stand_in(frame: Frame) -> bool:
    """In the constructor of a module that nobody makes: nobody makes its parts either."""
    if not (frame.root_context and frame.building):
        return False
    return all(record.generic for record in next(frame.running(), ()))


def stand_in(frame: Frame, cls: ClassRecord, tree: ast.AST) -> tuple[ObjectRecord, bool]:
    """The object that stands for all of ``cls`` that nobody makes, and whether it is new."""
    record, new = frame.analysis.object_record(("any", cls), tree)
    prepare(frame, record, cls)
    record.generic = record.moved = True
    record.stateful = record.stateful or record.module
    return record, new


def prepare(frame: Frame, record: ObjectRecord, cls: ClassRecord) -> None:
    """Say what kind of object ``record`` is."""
    record.cls = cls
    for base in cls.ancestry():
        frame.analysis.instances.setdefault(base, {})[record] = None
    record.host = is_host_class(cls)
    own = [name for name in _ANSWER_FOR_ALL if isinstance(cls.lookup(name), Function)]
    record.unfollowed = f"{own[0]} of {cls.name} was not analysed" if own else record.unfollowed
    record.context = frame.context
    record.frame = frame
    record.occurrence = frame.occurrence(record.tree)
    if is_module(cls):
        record.module = True
        if _comes_behind_layer(cls):
            record.unfollowed = record.unfollowed or f"{cls.name} has the forward of a layer"
        record.framework = any(base.startswith(_FRAMEWORKS) for base in cls.library_bases())
        rows = [layer(base) for base in cls.library_bases()]
        record.weights = record.weights or any(row and row.parameters for row in rows)
        record.stateful = record.stateful or record.weights
        if record.node < 0:
            record.node = frame.graph.node(("object", record))
            frame.analysis.modules.append(record)


def _comes_behind_layer(cls: ClassRecord) -> bool:
    """``class Net(nn.Sequential, Mixin)``: what ``forward`` of the mixin does, nobody calls."""
    for base in cls.bases if "forward" not in cls.attributes else ():
        if isinstance(base, External) and layer(base.name) is not None:
            return cls.lookup("forward") is not None
        if isinstance(base, Class) and base.record.lookup("forward") is not None:
            return _comes_behind_layer(base.record)
    return False


def parent_class_calls(
    frame: Frame, name: str, receiver: Value | None
) -> dict[Function | None, Value | None]:
    """What ``super().name`` is in the method being evaluated, and for which receivers: what comes
    behind the class of the method in the order of the receiver's own class.

    https://docs.python.org/3/library/functions.html#super
    """
    if not isinstance(receiver, Instance):
        cls = receiver.record if isinstance(receiver, Class) else None
        return {_inherited(frame, cls, name): receiver}
    found: dict[Function | None, set[ObjectRecord]] = {}
    for record in receiver.records:
        found.setdefault(_inherited(frame, record.cls, name), set()).add(record)
    return {function: Instance(frozenset(records)) for function, records in found.items()}


def _inherited(frame: Frame, cls: ClassRecord | None, name: str) -> Function | None:
    """The method behind ``frame.owner`` in the order of ``cls``."""
    if frame.owner is None:
        return None
    order = cls.ancestry() if cls is not None else ()
    order = order if frame.owner in order else frame.owner.ancestry()
    behind = order[order.index(frame.owner) + 1 :]
    held = (cls.attributes.get(name) for cls in behind)
    return next((method for method in held if isinstance(method, Function)), None)
