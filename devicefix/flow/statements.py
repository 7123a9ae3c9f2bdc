"""What statements do to the names in scope: branches join, loops run to a fixed point."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from devicefix.flow.annotations import says_torch
from devicefix.flow.assertions import assume, assume_no_raise
from devicefix.flow.autocasts import casts_on_cpu
from devicefix.flow.binding import (
    assign,
    bind_target,
    extend,
    forget_order,
    returned,
    takes_number,
)
from devicefix.flow.branches import join_envs, of_like_kinds
from devicefix.flow.containers import update_dict
from devicefix.flow.decorators import decorated
from devicefix.flow.descriptors import name_descriptors
from devicefix.flow.escapes import hand_over
from devicefix.flow.expressions import binary_result, evaluate
from devicefix.flow.files import import_modules, import_names
from devicefix.flow.frame import Arguments, Env, Frame
from devicefix.flow.graph import Label
from devicefix.flow.instances import tell_bases
from devicefix.flow.iteration import iterated
from devicefix.flow.joins import element, join, join_all
from devicefix.flow.memory import join_outdated, write_array, write_tensor
from devicefix.flow.moving import (
    chooses_places,
    device_questions,
    is_move_statement,
    move_questions,
    on_gpu,
    only_brings,
    option_text,
)
from devicefix.flow.narrowing import is_decided, narrowed
from devicefix.flow.operands import as_tensor, is_constant
from devicefix.flow.renewal import renew_items
from devicefix.flow.scripting import SCRIPTING
from devicefix.flow.scripts import bound_names
from devicefix.flow.values import (
    Array,
    Class,
    ClassRecord,
    Const,
    Device,
    External,
    Flag,
    Instance,
    Listing,
    Mapping,
    Opaque,
    Plain,
    Residence,
    Stream,
    Tensor,
    Tuple,
    Unknown,
    Value,
    as_device,
    is_none,
    is_text,
)
from devicefix.source import annotated_targets, annotation_of
from devicefix.source.walking import walk

MAX_ROUNDS = 12
"""Times that a loop body is evaluated; values only grow, so most loops are stable after two."""


def execute(frame: Frame, body: Sequence[ast.stmt]) -> None:
    """Run statements until the end, or until control leaves."""
    for statement in body:
        if frame.env is None:
            return
        handler = _HANDLERS.get(type(statement))
        if handler is not None:
            handler(frame, statement)


def _branch(frame: Frame, env: Env | None, body: Sequence[ast.stmt]) -> Env | None:
    frame.env = dict(env) if env is not None else None
    execute(frame, body)
    return frame.env


# -- simple statements -------------------------------------------------------------------------


def _expression(frame: Frame, tree: ast.Expr) -> None:
    value = evaluate(frame, tree.value)
    call = tree.value
    if (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and isinstance(value, Tensor)
        and not (frame.file.owned and frame.file.source.is_displayed(tree))
    ):
        _discarded(frame, call, value)


def _discarded(frame: Frame, call: ast.Call, value: Tensor) -> None:
    """``x.to(device)`` as a statement: DFX109 binds the result, and all later uses see that.

    A cast is no transfer: binding it would change what the program prints.
    """
    assert isinstance(call.func, ast.Attribute)
    target = call.func.value
    before = frame.evaluate(target)
    if call.func.attr not in ("to", "cuda", "cpu") or not isinstance(before, Tensor):
        return
    if value.born is before.born and isinstance(target, (ast.Name, ast.Attribute)):
        bind_target(frame, target, value)


def _assign(frame: Frame, tree: ast.Assign) -> None:
    value = evaluate(frame, tree.value)
    annotation = annotation_of(tree)
    if annotation is not None and isinstance(value, Unknown) and says_torch(frame, annotation):
        value = replace(value, torch=True)
    single = tree.targets[0] if len(tree.targets) == 1 else None
    if (
        isinstance(single, (ast.Tuple, ast.List))
        and isinstance(tree.value, ast.Tuple)
        and isinstance(value, Tuple)
        and len(single.elts) == len(tree.value.elts)
    ):
        for target, expr, item in zip(single.elts, tree.value.elts, value.items, strict=True):
            assign(frame, tree, target, expr, item)
        return
    for target in tree.targets:
        assign(frame, tree, target, tree.value, value)


def _augmented(frame: Frame, tree: ast.AugAssign) -> None:
    load = tree.target
    left, right = evaluate(frame, load), evaluate(frame, tree.value)
    if isinstance(left, Tensor) and not _is_array(right):
        _augment_tensor(frame, tree, left, right)
        return
    if isinstance(left, Array):
        write_array(frame, left)
        if not _adds_to_number(frame, tree, left, right):
            frame.need_host(tree.value, right)
        return
    if isinstance(left, Listing):
        part = element(right) or Unknown("an element")
        for record in left.records:
            extend(frame, record, part)
        return
    if isinstance(left, Mapping):
        for each in left.records:
            update_dict(frame, each, Arguments([(tree.value, right)]))
        return
    value = binary_result(frame, tree, (None, left), (tree.value, right), tree.op)
    bind_target(frame, tree.target, value)


def _adds_to_number(frame: Frame, tree: ast.AugAssign, left: Array, right: Value) -> bool:
    """``out[i] += loss``, where the item is a number."""
    if not isinstance(tree.target, ast.Subscript) or left.least is not None:
        return False
    holder = evaluate(frame, tree.target.value)
    index = evaluate(frame, tree.target.slice)
    return isinstance(holder, Array) and takes_number(tree.target, holder, index, right)


def _is_array(value: Value) -> bool:
    """Surely an array and no NumPy scalar: ``x += array`` gives ``x`` a new value."""
    return isinstance(value, Array) and value.least is not None


def _augment_tensor(frame: Frame, tree: ast.AugAssign, left: Tensor, right: Value) -> None:
    """``x += y`` is in place: x stays where it is, y has to come to it."""
    write_tensor(frame, left)
    right = as_tensor(right) if isinstance(right, Opaque) else right
    if not is_constant(right):
        frame.seen.mixed |= left.nodes
        left = replace(left, constant=False)
    if isinstance(right, Tensor) and left.nodes and not frame.host:
        node = frame.node("inplace", tree)
        for source in left.nodes:
            frame.graph.tie(source, node)
        frame.use(tree.value, right, node, to_target=0.0 if right.scalar else 1.1)
        known = (left.nodes, left.dtype, left.scalar)
        left = Tensor(*known, raw=False, constant=left.constant, flat=left.flat)
    elif isinstance(right, Unknown):
        for source in left.nodes:
            frame.meet(source, tree, right.reason)
    if isinstance(tree.target, ast.Name):
        frame.bind(tree.target.id, left, tree.target)


def _return(frame: Frame, tree: ast.Return) -> None:
    value = returned(frame, tree, evaluate(frame, tree.value))
    frame.result = frame.bounded(join(frame.result, value))
    if frame.yielded is not None and tree.value is not None:
        hand_over(frame, tree.value, value, "it is returned by a generator")
    frame.flush()
    if frame.env is not None:
        frame.returns.append(frame.env)
    frame.env = None


def _raised(frame: Frame, tree: ast.expr) -> None:
    """Whoever catches an exception gets what it was made of: which one that is, nobody follows."""
    value = evaluate(frame, tree)
    if not isinstance(value, Instance) and isinstance(tree, ast.Call):
        value = join_all(evaluate(frame, argument) for argument in tree.args)
    hand_over(frame, tree, value, "it is stored in an exception")


def _leave(frame: Frame, tree: ast.stmt) -> None:
    if isinstance(tree, ast.Raise) and tree.exc is not None:
        _raised(frame, tree.exc)
    elif frame.env is not None:
        if isinstance(tree, ast.Break):
            frame.breaks.append(frame.env)
        elif isinstance(tree, ast.Continue):
            frame.continues.append(frame.env)
    if isinstance(tree, ast.Raise):
        frame.flush()
    frame.env = None


def _assert(frame: Frame, tree: ast.Assert) -> None:
    evaluate(frame, tree.test)
    before = frame.env
    if tree.msg is not None:
        frame.env = narrowed(frame, before, tree.test, False)
        evaluate(frame, tree.msg)
        frame.env = before
    assume(frame, tree.test)
    frame.env = narrowed(frame, before, tree.test, True)


def _delete(frame: Frame, tree: ast.Delete) -> None:
    for target in tree.targets:
        if isinstance(target, ast.Name):
            frame.forget(target.id)
        elif isinstance(target, (ast.Attribute, ast.Subscript)):
            _delete_part(frame, target)


def _delete_part(frame: Frame, target: ast.Attribute | ast.Subscript) -> None:
    """``del self.fc``, ``del self.net[0]``: a module may have it, or not."""
    holder = frame.evaluate(target.value)
    forget_order(frame, holder)
    for record in holder.modules if isinstance(holder, Instance) else ():
        if isinstance(target, ast.Subscript):
            record.reordered = True
        else:
            record.parts[target.attr] = record.travels[target.attr] = False


def _global(frame: Frame, tree: ast.Global | ast.Nonlocal) -> None:
    for name in tree.names:
        scope = frame.module if isinstance(tree, ast.Global) else frame.around(name)
        if scope is not None:
            frame.elsewhere[name] = scope


def _import(frame: Frame, tree: ast.Import | ast.ImportFrom) -> None:
    if isinstance(tree, ast.Import):
        import_modules(frame, tree)
    else:
        import_names(frame, tree)


# -- definitions -------------------------------------------------------------------------------


def _function(frame: Frame, tree: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    kind = "function"
    names = set()
    for decorator in tree.decorator_list:
        value = evaluate(frame, decorator)
        names.add(_decorator(frame, decorator, value))
        if isinstance(value, External):
            last = value.name.rpartition(".")[2]
            if last in ("staticmethod", "classmethod", "property", "cached_property"):
                kind = "property" if last == "cached_property" else last
    for default in (*tree.args.defaults, *tree.args.kw_defaults):
        frame.analysis.defaults.update(walk(default) if default is not None else ())
    frame.seen.decorators[tree] = frozenset(names)
    if names & SCRIPTING:
        frame.seen.scripted.add(tree)
    made = frame.function_value(tree, kind)
    frame.bind(tree.name, decorated(frame, tree, made))


def _decorator(frame: Frame, tree: ast.expr, value: Value) -> str:
    """The canonical name of a decorator, written with or without arguments."""
    if isinstance(tree, ast.Call):
        return next(iter(frame.seen.calls.get(tree, ())), "")
    return value.name if isinstance(value, External) else ""


def _bases(frame: Frame, tree: ast.ClassDef) -> tuple[Value, ...]:
    around, frame.analysis.seeks_base = frame.analysis.seeks_base, True
    found = tuple(evaluate(frame, base) for base in tree.bases)
    frame.analysis.seeks_base = around
    return found


def _class(frame: Frame, tree: ast.ClassDef) -> None:
    bases = _bases(frame, tree)
    inner = Frame(frame.analysis, tree, frame, context=frame.context, caller=frame)
    inner.calls = frame.calls
    record = frame.analysis.class_record(
        (frame.context, tree), ClassRecord(tree.name, tree, inner, bases, {})
    )
    frame.analysis.derive(record, bases)
    record.metaclass = _metaclass(frame, tree)
    inner.owner = record
    inner.host = inner.host or any(
        isinstance(b, External) and b.name.endswith(("Dataset", "Sampler")) for b in bases
    )
    around, frame.analysis.seeks_base = frame.analysis.seeks_base, False
    execute(inner, tree.body)
    frame.analysis.seeks_base = around
    own = inner.env or {}
    record.attributes.update(own)
    record.fields = frozenset(_made_for_each(inner, tree))
    for name, value in record.assigned.items():
        record.attributes[name] = frame.bounded(join(own.get(name), value))
    record.attributes.update(record.exchanged)
    name_descriptors(frame, tree, record)
    tell_bases(frame, tree, record)
    frame.bind(tree.name, decorated(frame, tree, Class(record)))


def _metaclass(frame: Frame, tree: ast.ClassDef) -> ClassRecord | None:
    """``class Store(metaclass=Singleton)``."""
    values = (evaluate(frame, k.value) for k in tree.keywords if k.arg == "metaclass")
    return next((value.record for value in values if isinstance(value, Class)), None)


def _made_for_each(frame: Frame, tree: ast.ClassDef) -> Iterator[str]:
    """``device: str = field(default_factory=choose)`` of a dataclass."""
    for statement in tree.body:
        made = getattr(statement, "value", None)
        if not isinstance(made, ast.Call) or any(k.arg == "default" for k in made.keywords):
            continue
        if "dataclasses.field" in frame.seen.calls.get(made, ()):
            yield from (t.id for t in annotated_targets(statement) if isinstance(t, ast.Name))


# -- control flow ------------------------------------------------------------------------------


def _if(frame: Frame, tree: ast.If) -> None:
    followed = frame.seen.joined if _both_branches(frame, tree) else frame.seen.assumed
    followed.add(tree)


def _both_branches(frame: Frame, tree: ast.If) -> bool:
    """Evaluate an ``if``; whether what holds after it is what either branch leaves."""
    test = evaluate(frame, tree.test)
    if not _asks_nothing(frame, tree.test):
        frame.seen.tests[tree] = test
    before = frame.env
    if (wanted := _asks_to_move(frame, tree.test)) is not None:
        frame.env = _branch(frame, before, tree.body if wanted else tree.orelse)
        return False
    if isinstance(test, Flag):
        taken, other = (tree.body, tree.orelse) if test.holds else (tree.orelse, tree.body)
        chosen = _branch(frame, before, taken)
        frame.env = _agnostic(chosen, (*taken, *other))
        return False
    if isinstance(test, Residence) and only_brings(tree) and not tree.orelse:
        # `if x.is_cuda: y = y.cuda()` brings y to where x is
        frame.following = Device(None, test.nodes)
        frame.env = _branch(frame, before, tree.body)
        frame.following = None
        return False
    if isinstance(test, Const) and is_decided(frame, tree.test, test):
        frame.env = _branch(frame, before, tree.body if test.value else tree.orelse)
        return False
    assume_no_raise(frame, tree)
    otherwise = narrowed(frame, before, tree.test, False)
    start, begun = dict(frame.analysis.stays), frame.analysis.aliases.moment
    asked = test.nodes if isinstance(test, Residence) else frozenset[int]()
    with frame.analysis.graph.assuming(asked, Label.TARGET):
        after_body = _branch(frame, narrowed(frame, before, tree.test, True), tree.body)
    if all(map(is_move_statement, on_gpu(tree.body))) and not tree.orelse:
        # `if args.cuda: model.cuda()`: what matters is the run with the accelerator
        frame.env = after_body
        return False
    body_stays, frame.analysis.stays = frame.analysis.stays, start
    between = frame.analysis.aliases.moment
    with frame.analysis.graph.assuming(asked, Label.HOST):
        after_orelse = _branch(frame, otherwise, tree.orelse)
    join_outdated(frame, after_body, between)
    join_outdated(frame, after_orelse, begun, between)
    if chooses_places(tree) and of_like_kinds(after_body, after_orelse):
        frame.env, frame.analysis.stays = after_body, body_stays
        return False
    if after_orelse is None:
        frame.analysis.stays = body_stays
    elif after_body is not None and body_stays != frame.analysis.stays:
        # where one branch has brought a module to the device, it counts as being there
        frame.analysis.stays |= {r: at for r, at in body_stays.items() if at is Label.TARGET}
    frame.env = join_envs(frame, after_body, after_orelse)
    return True


def _agnostic(after: Env | None, bodies: Sequence[ast.stmt]) -> Env | None:
    """Devices chosen under a test for the accelerator are right on every machine.

    An option of the user's that is handed on there need not be one.
    """
    if after is None:
        return None
    for statement in bodies:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        for target in targets:
            name = target.id if isinstance(target, ast.Name) else None
            if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
                name = f"{target.value.id}.{target.attr}"
            value = after.get(name) if name else None
            named = isinstance(value, Device) or (value is not None and is_text(value))
            device = as_device(value) if value is not None and named else None
            if name and device is not None:
                after = {**after, name: replace(device, agnostic=True, written=frozenset())}
    return after


def _asks_nothing(frame: Frame, test: ast.expr) -> bool:
    """``x.is_cuda`` where a caller passes None for ``x``: nobody gets that far."""
    holder = test.value if isinstance(test, ast.Attribute) else None
    return isinstance(holder, ast.Name) and is_none(frame.lookup(holder.id))


def _asks_to_move(frame: Frame, test: ast.expr) -> bool | None:
    """What ``test`` is in the run with the accelerator; None where it asks something else.

    It asks for an option of the user: what functions are given may be another one in each.
    """
    source = frame.file.source
    moving = source.once(move_questions) if frame.file.owned else frozenset[str]()
    chosen = source.once(device_questions) if frame.file.owned else frozenset[str]()
    if not (moving or chosen):
        return None
    negated = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    asked = test.operand if isinstance(test, ast.UnaryOp) and negated else test
    text = option_text(asked)
    if text not in moving and text not in chosen:
        return None
    option = asked.left if isinstance(asked, ast.Compare) else asked
    value, function = evaluate(frame, option), frame.function
    local = isinstance(option, ast.Name) and function is not None
    if local and option.id in bound_names(function):  # type: ignore[attr-defined,arg-type]
        return None
    open_ = text in chosen and isinstance(value, (Opaque, Unknown))
    return not negated if open_ or (isinstance(value, Plain) and value.choice) else None


def _for(frame: Frame, tree: ast.For | ast.AsyncFor) -> None:
    source = evaluate(frame, tree.iter)
    exact = source.items if isinstance(source, Tuple) and len(source.items) <= 6 else None
    if exact:
        _for_each(frame, tree, exact)
        return
    item = iterated(frame, tree.iter, source)

    def start() -> None:
        frame.analysis.arrivals.renew(item)
        bind_target(frame, tree.target, item, tree)

    _loop(frame, tree.body, tree.orelse, start)
    if isinstance(tree, ast.For):
        renew_items(frame, tree)


def _for_each(frame: Frame, tree: ast.For | ast.AsyncFor, items: tuple[Value, ...]) -> None:
    """A loop over a known few is run once for each."""
    outer = frame.breaks, frame.continues
    frame.breaks, frame.continues = [], []
    frame.depth += 1
    analysis = frame.analysis
    around, analysis.turns = analysis.turns, analysis.turns or analysis.steps
    for item in items:
        bind_target(frame, tree.target, item)
        execute(frame, tree.body)
        for env in frame.continues:
            frame.env = join_envs(frame, frame.env, env)
        frame.continues = []
    analysis.turns = around
    frame.depth -= 1
    execute(frame, tree.orelse)
    for env in frame.breaks:
        frame.env = join_envs(frame, frame.env, env)
    frame.breaks, frame.continues = outer


def _while(frame: Frame, tree: ast.While) -> None:
    def start() -> None:
        evaluate(frame, tree.test)

    # `while True:` ends by `break` alone
    endless = isinstance(tree.test, ast.Constant) and bool(tree.test.value)
    _loop(frame, tree.body, tree.orelse, start, endless=endless)


def _loop(
    frame: Frame,
    body: Sequence[ast.stmt],
    orelse: Sequence[ast.stmt],
    start: Callable[[], None],
    *,
    endless: bool = False,
) -> None:
    outer = frame.breaks, frame.continues
    frame.breaks, frame.continues = [], []
    entry, begun = frame.env, frame.analysis.aliases.moment
    before = entry
    frame.depth += 1
    for _ in range(MAX_ROUNDS):
        frame.env = dict(entry) if entry is not None else None
        start()
        execute(frame, body)
        end = frame.env
        for env in frame.continues:
            end = join_envs(frame, end, env)
        joined = join_envs(frame, entry, end)
        frame.continues = []
        if joined == entry:
            break
        entry = joined
    frame.depth -= 1
    frame.env = None if endless else entry
    join_outdated(frame, before, begun)
    execute(frame, orelse)
    for env in frame.breaks:
        frame.env = join_envs(frame, frame.env, env)
    frame.breaks, frame.continues = outer


def _with(frame: Frame, tree: ast.With | ast.AsyncWith) -> None:
    outer = frame.default
    for item in tree.items:
        value = evaluate(frame, item.context_expr)
        if item.optional_vars is not None:
            entered = _entered(frame, tree, item.context_expr, value)
            bind_target(frame, item.optional_vars, entered)
        if isinstance(value, Device):
            frame.default = value
    around = frame.analysis.for_the_cpu
    contexts = [item.context_expr for item in tree.items]
    frame.analysis.for_the_cpu = around or casts_on_cpu(frame, contexts)
    execute(frame, tree.body)
    frame.analysis.for_the_cpu = around
    frame.default = outer


def _entered(
    frame: Frame, statement: ast.With | ast.AsyncWith, tree: ast.expr, value: Value
) -> Value:
    """What ``with value as name`` binds; a generator is one of ``contextlib.contextmanager``."""
    if isinstance(value, Stream):
        return value.element
    method = "__enter__" if isinstance(statement, ast.With) else "__aenter__"
    if isinstance(value, Instance) and any(r.cls and r.cls.lookup(method) for r in value.records):
        found = frame.call_method(tree, value, method)
        return found.element if isinstance(found, Stream) else found
    return value


def _try(frame: Frame, tree: Any) -> None:
    before = dict(frame.env) if frame.env is not None else None
    begun = frame.analysis.aliases.moment
    execute(frame, tree.body)
    join_outdated(frame, before, begun)
    after_body = frame.env
    handler_entry = join_envs(frame, before, after_body)
    execute(frame, tree.orelse)
    end = frame.env
    for handler in tree.handlers:
        frame.env = dict(handler_entry) if handler_entry is not None else None
        if handler.name and frame.env is not None:
            frame.env[handler.name] = Unknown("an exception")
        begun = frame.analysis.aliases.moment
        execute(frame, handler.body)
        join_outdated(frame, end, begun)
        if _is_import_fallback(tree):
            continue
        end = join_envs(frame, end, frame.env)
    frame.env = end
    execute(frame, tree.finalbody)


def _is_import_fallback(tree: Any) -> bool:
    """``try: import x / except ImportError: x = None``: the import is what counts."""
    return all(isinstance(s, (ast.Import, ast.ImportFrom)) for s in tree.body)


def _match(frame: Frame, tree: ast.Match) -> None:
    evaluate(frame, tree.subject)
    before, end = frame.env, None
    for case in tree.cases:
        frame.env = dict(before) if before is not None else None
        begun = frame.analysis.aliases.moment
        for node in walk(case.pattern):
            name = getattr(node, "name", None)
            if isinstance(name, str):
                frame.bind(name, Unknown("a matched value"))
        execute(frame, case.body)
        join_outdated(frame, before, begun)
        end = join_envs(frame, end, frame.env)
    frame.env = join_envs(frame, end, before)


_HANDLERS: dict[type[ast.stmt], Callable[[Frame, Any], None]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AugAssign: _augmented,
    ast.Return: _return,
    ast.Raise: _leave,
    ast.Break: _leave,
    ast.Continue: _leave,
    ast.Assert: _assert,
    ast.Delete: _delete,
    ast.Global: _global,
    ast.Nonlocal: _global,
    ast.Import: _import,
    ast.ImportFrom: _import,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.Match: _match,
}
if hasattr(ast, "TryStar"):
    _HANDLERS[ast.TryStar] = _try
