"""What every kind of expression evaluates to."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Final

from msgspec.structs import replace

from devicefix.flow.attributes import attribute_of
from devicefix.flow.binding import bind_target
from devicefix.flow.calls import evaluate_call
from devicefix.flow.dicts import join_item, join_rest, spread
from devicefix.flow.dimensions import largest
from devicefix.flow.dtypes import check_strict
from devicefix.flow.escapes import hand_over
from devicefix.flow.exact_types import asked_for_type, is_of_type
from devicefix.flow.frame import Frame
from devicefix.flow.graph import Label
from devicefix.flow.items import item_of
from devicefix.flow.iteration import exact_list, iterated, merged
from devicefix.flow.joins import alternatives, element, exact_items, join, join_all
from devicefix.flow.literals import written_device
from devicefix.flow.memory import NAMED, fresh, read_arrays, read_name
from devicefix.flow.narrowing import is_decided, narrowed
from devicefix.flow.numeric import computed_on_host
from devicefix.flow.operands import (
    Operand,
    combine,
    is_unseen,
    note_dtype_use,
    operand,
    unseen_reason,
)
from devicefix.flow.overloads import compared, look_for, overloaded
from devicefix.flow.storing import literal_items, stored
from devicefix.flow.values import (
    ALONE,
    NONE,
    NUMBER,
    PLAIN,
    TEXT,
    Array,
    Const,
    Device,
    Either,
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
    is_accelerator_string,
    is_none,
    is_number,
    is_text,
)
from devicefix.torch_api import OLD_NAMES

_VALUE: Final = "_devicefix_value"
"""The value of a constant, on its node: it is asked for more than anything else."""
_BUILTIN_NAMES = frozenset(
    dir(__builtins__) if not isinstance(__builtins__, dict) else __builtins__
)


def evaluate(frame: Frame, tree: ast.expr | None) -> Value:
    """The abstract value of an expression in ``frame``.

    Raises:
        BudgetExceededError: too many were evaluated.
        TimeExceededError: that takes too long.
    """
    if tree is None:
        return NONE
    analysis = frame.analysis
    analysis.steps += 1
    if analysis.steps >= analysis.due:
        analysis.pause()
    handler = _HANDLERS.get(type(tree))
    value = handler(frame, tree) if handler is not None else Unknown(type(tree).__name__)
    if analysis.sightings is not None:
        value = analysis.sightings.take(frame, tree, value)
    kind = type(value)
    if isinstance(value, Tensor):
        if value.dtype == "float64":
            frame.seen.doubles[tree] = value
    elif kind is not Opaque and kind is not Unknown:
        frame.seen.other_values.add(tree)
        if kind is Either and any(isinstance(part, Instance) for part in alternatives(value)):
            frame.seen.uncertain_modules.add(tree)
    if tree in analysis.questions:
        frame.seen.asked.setdefault(tree, {})[frame.context] = value
    if analysis.trace is not None:
        analysis.trace.note(frame, tree, value)
    return value


def _constant(frame: Frame, tree: ast.Constant) -> Value:
    known: Const | None = getattr(tree, _VALUE, None)
    if known is None:
        written = frozenset((tree,) if is_accelerator_string(tree.value) else ())
        known = Const(tree.value, written)
        setattr(tree, _VALUE, known)
    return known


def _name(frame: Frame, tree: ast.Name) -> Value:
    found = frame.lookup(tree.id)
    analysis = frame.analysis
    if analysis.written and isinstance(found, (Array, Listing, Tuple, Mapping)):
        read_arrays(frame, found)
    if (analysis.stale or analysis.aliases.outdated) and type(found) in NAMED:
        read_name(frame, found)
    if found is not None:
        if isinstance(found, External):
            _note_mention(frame, tree, found)
        return found
    if tree.id in _BUILTIN_NAMES or tree.id.startswith("__"):
        return External("builtins." + tree.id)
    return Unknown(f"the name {tree.id!r}")


def _attribute(frame: Frame, tree: ast.Attribute) -> Value:
    found = _found_attribute(frame, tree)
    if tree.attr == "cuda":
        known = frame.seen.options_named_cuda
        known[tree] = known.get(tree, True) and isinstance(found, (Const, Flag, Plain))
    return found


def _found_attribute(frame: Frame, tree: ast.Attribute) -> Value:
    if frame.path_holders and isinstance(tree.value, ast.Name) and frame.env is not None:
        overlay = frame.env.get(f"{tree.value.id}.{tree.attr}")
        if overlay is not None:
            if frame.analysis.stale or frame.analysis.aliases.outdated:
                read_name(frame, overlay)
            return overlay
    held = evaluate(frame, tree.value)
    found = attribute_of(frame, tree, held)
    frame.analysis.receiver = tree, held
    outdated = frame.analysis.stale or frame.analysis.aliases.outdated
    if outdated and type(found) in NAMED:
        read_name(frame, found)
    if isinstance(found, External):
        _note_mention(frame, tree, found)
    return found


def _note_mention(frame: Frame, tree: ast.Name | ast.Attribute, value: External) -> None:
    """Remember where the program names something of ``torch.cuda``, or of an old torch."""
    if frame.analysis.parents.get(tree) is None:
        return  # getattr(torch.cuda, "x") names it, too, in an expression that stands nowhere
    if value.name.startswith("torch.cuda."):
        seen = frame.seen.mentions.setdefault(tree, {})
        seen[frame.context] = (value.name, frame.occurrence(tree))
    if value.name in OLD_NAMES:
        frame.seen.old_names.setdefault(tree, {})[frame.context] = value.name


def _binary(frame: Frame, tree: ast.BinOp) -> Value:
    left, right = evaluate(frame, tree.left), evaluate(frame, tree.right)
    if (device := written_device(frame, tree)) is not None:
        return device
    return binary_result(frame, tree, (tree.left, left), (tree.right, right), tree.op)


def binary_result(
    frame: Frame, tree: ast.expr | ast.AugAssign, left: Operand, right: Operand, op: ast.operator
) -> Value:
    """``left op right``: tensors meet, sequences are joined or repeated, numbers stay plain."""
    values = (left[1], right[1])
    if Instance in map(type, values):
        own = overloaded(frame, tree, *values, op)
        if own is not None:
            return own
        if any(isinstance(value, Instance) and value.modules for value in values):
            place = tree if isinstance(tree, ast.expr) else tree.value
            hand_over(frame, place, Tuple(values), "an operator of modules")
            return Unknown("an operator of modules")
    if _makes_text(values, op):
        for value in values:
            note_dtype_use(frame, tree, value)
        return TEXT
    if _meets_array(values):
        return _on_host(frame, tree, left, right)
    kinds = {type(left[1]), type(right[1])}
    if Tensor in kinds or Opaque in kinds:
        if Tensor not in kinds and _only_scalars(values):
            return next(v for v in values if isinstance(v, Opaque))
        if Tensor in kinds:
            left, right = operand(frame, left, right[1]), operand(frame, right, left[1])
        pointwise, clash = not isinstance(op, ast.MatMult), False
        if not pointwise:
            (left, right), clash = check_strict(frame, (left, right))
        result = combine(frame, tree, (left, right), pointwise=pointwise, strict=clash)
        if isinstance(op, ast.MatMult):
            frame.analysis.anchor_arithmetic(frame, result)
        if result is not None:
            given = [v for v in values if isinstance(v, Tensor)]
            certain = any(v.certain for v in given)
            # of a number in the place of the tensor, arithmetic makes a number
            other = not certain and any(v.maybe == "other" for v in given)
            beside = replace(result.doubted, vague=not certain, other=other)
            return replace(_computed(result, values, op), beside=beside)
    if Array in kinds:
        dtypes = {v.dtype for v in values if isinstance(v, Array)}
        # whatever the other array holds, NumPy promotes it to float64
        dtype = "float64" if "float64" in dtypes else dtypes.pop() if len(dtypes) == 1 else None
        if isinstance(op, ast.Div) and dtype in ("int64", "int32"):
            dtype = "float64"
        if dtype == "int64" and any(_is_float(v) for v in values):
            dtype = "float64"
        return fresh(frame, tree, dtype, largest(values))
    if (unseen := next(filter(is_unseen, values), None)) is not None:
        return unseen if isinstance(unseen, Unknown) else Unknown(unseen_reason(unseen))
    if Listing in kinds:
        return _sequence_result(frame, tree, values)
    if Mapping in kinds:
        return merged(frame, tree, values)
    if isinstance(op, ast.Add) and all(isinstance(v, Tuple) for v in values):
        return Tuple(tuple(i for v in values if isinstance(v, Tuple) for i in v.items))
    if Tuple in kinds or Stream in kinds:
        return Stream(join_all(element(v) for v in values if isinstance(v, (Tuple, Stream))))
    fraction = isinstance(op, ast.Div | ast.Pow) or any(_is_float(v) for v in values)
    if fraction and all(isinstance(v, Const) for v in values):
        return Const(1.5)
    return NUMBER if all(map(is_number, values)) else PLAIN


def _makes_text(values: tuple[Value, ...], op: ast.operator) -> bool:
    """``"%d" % x``; ``name + ".jpg"``, whatever ``name`` was thought to be."""
    if isinstance(op, ast.Mod):
        return is_text(values[0])
    arrays = any(isinstance(v, Array) for v in values)
    return isinstance(op, ast.Add) and not arrays and any(map(is_text, values))


def _meets_array(values: tuple[Value, ...]) -> bool:
    """A tensor beside an array, which may be no NumPy scalar: NumPy computes that."""
    if not any(isinstance(v, Array) and v.least is not None for v in values):
        return False
    return any(isinstance(v, Tensor) for v in values)


def _on_host(frame: Frame, tree: ast.expr | ast.AugAssign, left: Operand, right: Operand) -> Tensor:
    """``tensor * array`` is NumPy's product of two arrays, made a tensor again."""
    for expr, value in (left, right):
        if isinstance(value, Tensor):
            frame.need_host(expr, value)
            note_dtype_use(frame, tree, value)
    values = [left[1], right[1]]
    dtypes = {v.dtype for v in values if isinstance(v, (Tensor, Array))}
    dtype = "float64" if "float64" in dtypes else dtypes.pop() if len(dtypes) == 1 else None
    return computed_on_host(frame, tree, values, dtype)


def _computed(result: Tensor, values: tuple[Value, ...], op: ast.operator) -> Tensor:
    """Division makes floats of integers; so does a number that may be a float."""
    if result.dtype is None or result.dtype.startswith("float"):
        return result
    numbers = [v for v in values if not isinstance(v, Tensor)]
    whole = all(isinstance(v, Const) and isinstance(v.value, int) for v in numbers)
    dtype = "float32" if isinstance(op, ast.Div) else result.dtype if whole else None
    known = (dtype, result.scalar, result.born, result.raw)
    return Tensor(result.nodes, *known, constant=result.constant, computed=True, flat=result.flat)


def _only_scalars(values: tuple[Value, ...]) -> bool:
    return all(isinstance(v, (Opaque, Const, Plain, Flag)) for v in values)


def _is_float(value: Value) -> bool:
    return isinstance(value, Const) and isinstance(value.value, float)


def _sequence_result(frame: Frame, tree: ast.AST, values: tuple[Value, ...]) -> Value:
    record = frame.analysis.list_record((frame.context, tree))
    for value in values:
        part = element(value) if not isinstance(value, (Const, Plain)) else None
        if part is not None:
            record.element = frame.bounded(join(record.element, part))
    return Listing(frozenset((record,)))


def _unary(frame: Frame, tree: ast.UnaryOp) -> Value:
    value = evaluate(frame, tree.operand)
    if isinstance(tree.op, ast.Not):
        if isinstance(value, Flag):
            return Flag(not value.holds, value.pure)
        if isinstance(value, Const) and isinstance(value.value, bool | None):
            return Const(not value.value)
        return PLAIN
    if isinstance(value, Const) and isinstance(value.value, (int, float)):
        return Const(-value.value) if isinstance(tree.op, ast.USub) else value
    return replace(value, computed=True) if isinstance(value, Tensor) else value


def _boolean(frame: Frame, tree: ast.BoolOp) -> Value:
    values = [evaluate(frame, part) for part in tree.values]
    flags = [v for v in values if isinstance(v, Flag)]
    if flags and isinstance(tree.op, ast.And):
        # `args.cuda and torch.cuda.is_available()`: only an accelerator makes it true
        chosen = next((f for f in flags if not f.holds), flags[0])
        return Flag(chosen.holds, chosen.pure and len(flags) == len(values))
    if flags and len(flags) == len(values):
        return flags[0]
    if isinstance(tree.op, ast.Or):
        sure = next((n for n, v in enumerate(values) if _is_true(v)), len(values))
        return join_all(v for v in values[: sure + 1] if not is_none(v))
    return join_all(values)


def _is_true(value: Value) -> bool:
    """Whether ``value or other`` is surely this value."""
    return value.beside is ALONE and (
        isinstance(value, Device) or (isinstance(value, Const) and bool(value.value))
    )


def _compare(frame: Frame, tree: ast.Compare) -> Value:
    operands = [(tree.left, evaluate(frame, tree.left))]
    operands += [(c, evaluate(frame, c)) for c in tree.comparators]
    if (own := compared(frame, tree, [v for _, v in operands])) is not None:
        return own
    if (asked := asked_for_type(frame, tree)) is not None:
        answer = is_of_type(frame, tree, evaluate(frame, asked))
        if answer is not None:
            return answer
    for op, item, holder in zip(tree.ops, operands, operands[1:], strict=False):
        if isinstance(op, (ast.In, ast.NotIn)):
            look_for(frame, tree, item, holder)
    if any(isinstance(op, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for op in tree.ops):
        return _identity(tree, [v for _, v in operands])
    if (flag := _device_test(tree, [_as_asked(frame, e, v) for e, v in operands])) is not None:
        return flag
    if _meets_array(tuple(v for _, v in operands)):
        on_host = _on_host(frame, tree, operands[0], operands[-1])
        return replace(on_host, dtype="bool", born=None)
    result = combine(frame, tree, operands, pointwise=True)  # lists are compared item by item
    if result is not None and any(isinstance(v, Tensor) for _, v in operands):
        known = (result.nodes, "bool", result.scalar)
        return Tensor(*known, raw=False, constant=True, computed=True)
    if any(isinstance(v, Array) for _, v in operands):
        return Array("bool")
    if any(isinstance(v, Opaque) for _, v in operands):
        return next(v for _, v in operands if isinstance(v, Opaque))
    return PLAIN


def _identity(tree: ast.Compare, values: list[Value]) -> Value:
    """``x is None`` is decided where x is known to be something."""
    left, right = values[0], values[-1]
    if len(values) == 2 and is_none(right) and isinstance(tree.ops[0], (ast.Is, ast.IsNot)):
        negative = isinstance(tree.ops[0], ast.IsNot)
        if is_none(left):
            return Const(not negative) if left.beside.unseen is None else PLAIN
        named = isinstance(left, Device) or (isinstance(left, Const) and is_text(left))
        if named and not left.beside.none:  # with `for kind in (None, "relu")` it may be either
            return Const(negative)
        given = isinstance(left, Tensor) and left.certain and not left.maybe
        given = given or (isinstance(left, Instance) and left.beside == ALONE)
        if given and isinstance(tree.left, ast.Name):
            return Const(negative)  # `schedule=None` that the caller has given something for
    return PLAIN


def _as_asked(frame: Frame, tree: ast.expr, value: Value) -> Value:
    """In ``device.type == "cuda"`` it is the device that is asked."""
    if isinstance(tree, ast.Attribute) and tree.attr == "type" and not isinstance(value, Device):
        holder = evaluate(frame, tree.value)
        return holder if isinstance(holder, Device) else value
    return value


def _device_test(tree: ast.Compare, values: list[Value]) -> Value | None:
    """``device.type == "cuda"``, ``device != "cpu"``: they ask whether there is an accelerator."""
    if len(values) != 2 or not isinstance(tree.ops[0], (ast.Eq, ast.NotEq)):
        return None
    equal = isinstance(tree.ops[0], ast.Eq)
    for one, other in (values, values[::-1]):
        is_cpu = isinstance(other, Device) and other.label is Label.HOST
        if isinstance(one, Device) and (isinstance(other, Const) or is_cpu):
            named = as_device(other)
            if named is not None and named.label is None:
                return PLAIN
            if named is not None and one.label is Label.TARGET and one.runs_anywhere:
                return Flag(equal == (named.label is Label.TARGET))
            if named is not None and one.nodes and equal and named.label is Label.TARGET:
                return Residence(one.nodes)
    return None


def _conditional(frame: Frame, tree: ast.IfExp) -> Value:
    test = evaluate(frame, tree.test)
    frame.seen.tests[tree] = test
    if isinstance(test, Flag):
        taken, other = (tree.body, tree.orelse) if test.holds else (tree.orelse, tree.body)
        value = evaluate(frame, taken)
        if not _is_answer(value) and as_device(value) is None:
            return value  # what is only for machines without an accelerator asks for none
        rest = evaluate(frame, other)
        if _is_answer(value) and _is_answer(rest) and value != rest:
            return Flag(value == Const(True), test.pure)
        device, alternative = as_device(value), as_device(rest)
        counts = is_number(value) and is_number(rest)  # how many, how large: no name of a place
        if device is not None and alternative is not None and not counts:
            typed = device.typed and alternative.typed
            origins = device.origins | alternative.origins
            return Device(device.label, device.nodes, typed=typed, gpu=device.gpu, origins=origins)
        return value
    if isinstance(test, Residence) and is_move(tree.body, tree.orelse):
        frame.following = Device(None, test.nodes)
        value = evaluate(frame, tree.body)
        frame.following = None
        return value
    if is_decided(frame, tree.test, test):
        assert isinstance(test, Const)
        return evaluate(frame, tree.body if test.value else tree.orelse)
    body, other_value = _branches(frame, tree)
    if isinstance(test, Const):
        return body if test.value else other_value
    if is_move(tree.body, tree.orelse):
        return body
    return frame.bounded(join(body, other_value))


def _is_answer(value: Value) -> bool:
    """In ``True if torch.cuda.is_available() else False`` the answer is the question."""
    return isinstance(value, Const) and isinstance(value.value, bool)


def _branches(frame: Frame, tree: ast.IfExp) -> tuple[Value, Value]:
    """Both values of a conditional expression, each under what the condition says."""
    before = frame.env
    frame.env = narrowed(frame, before, tree.test, True)
    body = evaluate(frame, tree.body)
    frame.env = narrowed(frame, before, tree.test, False)
    other = evaluate(frame, tree.orelse)
    frame.env = before
    return (
        NONE if _is_none_where(tree.test, ast.Is, tree.body) else body,
        NONE if _is_none_where(tree.test, ast.IsNot, tree.orelse) else other,
    )


def _is_none_where(test: ast.expr, operator: type[ast.cmpop], branch: ast.expr) -> bool:
    """``x`` in ``x.to(device) if x is not None else x`` or ``x if x is None else x.to(device)``."""
    match test, branch:
        case ast.Compare(ast.Name(id=asked), [op], [ast.Constant(value=None)]), ast.Name(id=left):
            return asked == left and isinstance(op, operator)
    return False


def is_move(body: ast.expr, orelse: ast.expr) -> bool:
    """``x.cuda() if flag else x``: the branch with the accelerator is the one that matters."""
    return (
        isinstance(body, ast.Call)
        and isinstance(body.func, ast.Attribute)
        and body.func.attr == "cuda"
        and ast.dump(body.func.value) == ast.dump(orelse)
    )


def _tuple(frame: Frame, tree: ast.Tuple) -> Value:
    if any(isinstance(e, ast.Starred) for e in tree.elts):
        return Stream(join_all(_spread(frame, e) for e in tree.elts))
    return Tuple(literal_items(frame, tree, tuple(evaluate(frame, e) for e in tree.elts)))


def _spread(frame: Frame, tree: ast.expr) -> Value | None:
    if isinstance(tree, ast.Starred):
        return element(evaluate(frame, tree.value))
    return evaluate(frame, tree)


def _list(frame: Frame, tree: ast.List | ast.Set) -> Value:
    record = frame.analysis.list_record((frame.context, tree))
    items = tuple(_spread(frame, e) or Unknown() for e in tree.elts)
    items = literal_items(frame, tree, items)
    exact = isinstance(tree, ast.List) and not any(isinstance(e, ast.Starred) for e in tree.elts)
    if items and isinstance(frame.analysis.parents.get(tree), ast.Call):
        # an argument is made anew by each call: what it held in an earlier pass is gone
        frame.analysis.note_change(record, None, record.element)
        record.items, record.element = items if exact else None, None
    elif exact:
        return exact_list(frame, tree, items)
    for item in items:
        record.element = frame.bounded(join(record.element, item))
    return Listing(frozenset((record,)))


def _dict(frame: Frame, tree: ast.Dict) -> Value:
    record = frame.analysis.dict_record((frame.context, tree))
    frame.analysis.arrivals.forget(record)
    for key, value_tree in zip(tree.keys, tree.values, strict=True):
        value = stored(frame, (value_tree, evaluate(frame, value_tree)))
        if key is None:
            if isinstance(value, Mapping):
                spread(frame, record, value)
            continue
        name = evaluate(frame, key)
        if isinstance(name, Const) and not isinstance(name.value, (list, dict)):
            frame.analysis.note_made(record, name.value)
            join_item(frame, record, name.value, value, making=True)
        else:
            join_rest(frame, record, value, making=True)
    return Mapping(frozenset((record,)))


def _subscript(frame: Frame, tree: ast.Subscript) -> Value:
    holder, index = evaluate(frame, tree.value), evaluate(frame, tree.slice)
    known = frame.env if frame.path_holders else None
    if known is not None and isinstance(tree.value, ast.Name) and isinstance(index, Const):
        overlay = known.get(f"{tree.value.id}[{index.value!r}]")
        if overlay is not None:
            return overlay
    return item_of(frame, tree, holder, index)


def _comprehension(
    frame: Frame, tree: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
) -> Value:
    inner = Frame(frame.analysis, tree, frame, context=frame.context, caller=frame)
    inner.calls = frame.calls
    inner.receiver = frame.receiver
    inner.owner = frame.owner
    exact = _run_generators(inner, tree)
    if isinstance(tree, ast.DictComp):
        return _dict_comprehension(inner, tree, exact)
    if exact is not None and not isinstance(tree, ast.SetComp):
        return _unrolled(inner, tree, exact)
    value = frame.bounded(stored(inner, (tree.elt, evaluate(inner, tree.elt))))
    if isinstance(tree, ast.GeneratorExp):
        return Stream(value)
    record_ = frame.analysis.list_record((frame.context, tree))
    record_.element = frame.bounded(join(record_.element, value))
    return Listing(frozenset((record_,)))


def _dict_comprehension(frame: Frame, tree: ast.DictComp, exact: tuple[Value, ...] | None) -> Value:
    record = frame.analysis.dict_record((frame.context, tree))
    frame.analysis.arrivals.forget(record)
    for item in exact or (None,):
        if item is not None:
            bind_target(frame, tree.generators[0].target, item)
        key = evaluate(frame, tree.key)
        value = stored(frame, (tree.value, evaluate(frame, tree.value)))
        if isinstance(key, Const) and item is not None:
            join_item(frame, record, key.value, value, making=True)
        else:
            join_rest(frame, record, value, making=True)
    return Mapping(frozenset((record,)))


def _run_generators(
    frame: Frame, tree: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
) -> tuple[Value, ...] | None:
    """Bind the loop variables; the exact items where there is one loop over a known few."""
    for number, generator in enumerate(tree.generators):
        outer = frame.parent if number == 0 and frame.parent is not None else frame
        source = evaluate(outer, generator.iter)
        exact = source.items if isinstance(source, Tuple) else None
        if isinstance(source, Listing) and isinstance(tree, ast.GeneratorExp):
            exact = exact_items(source)
        if exact and len(tree.generators) == 1 and not generator.ifs and len(exact) <= 8:
            frame.depth += 1
            return exact
        frame.depth += 1
        bind_target(frame, generator.target, iterated(frame, generator.iter, source))
        for condition in generator.ifs:
            evaluate(frame, condition)
    return None


def _unrolled(
    frame: Frame, tree: ast.ListComp | ast.GeneratorExp | ast.SetComp, exact: tuple[Value, ...]
) -> Value:
    items = []
    for value in exact:
        bind_target(frame, tree.generators[0].target, value)
        items.append(stored(frame, (tree.elt, evaluate(frame, tree.elt))))
    return Tuple(tuple(items))


def _lambda(frame: Frame, tree: ast.Lambda) -> Value:
    return frame.function_value(tree)


def _formatted(frame: Frame, tree: ast.JoinedStr) -> Value:
    for part in tree.values:
        if isinstance(part, ast.FormattedValue):
            note_dtype_use(frame, tree, evaluate(frame, part.value))
    return written_device(frame, tree) or TEXT


def _walrus(frame: Frame, tree: ast.NamedExpr) -> Value:
    value = evaluate(frame, tree.value)
    frame.bind(tree.target.id, value, tree.target)
    return value


def _starred(frame: Frame, tree: ast.Starred) -> Value:
    return evaluate(frame, tree.value)


def _await(frame: Frame, tree: ast.Await) -> Value:
    value = evaluate(frame, tree.value)
    return value.element if isinstance(value, Stream) else value


def _yield(frame: Frame, tree: ast.Yield) -> Value:
    value = stored(frame, (tree.value, evaluate(frame, tree.value)), moves=False)
    frame.yielded = frame.bounded(join(frame.yielded, value))
    return Unknown("a value sent to a generator")


def _yield_from(frame: Frame, tree: ast.YieldFrom) -> Value:
    source = evaluate(frame, tree.value)
    if not isinstance(source, Const | Plain):
        frame.yielded = frame.bounded(join(frame.yielded, iterated(frame, tree, source)))
    return Unknown("the return value of a generator")


def _slice(frame: Frame, tree: ast.Slice) -> Value:
    for part in (tree.lower, tree.upper, tree.step):
        if part is not None:
            evaluate(frame, part)
    return PLAIN


_HANDLERS: dict[type[ast.expr], Callable[[Frame, Any], Value]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Call: evaluate_call,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.Compare: _compare,
    ast.IfExp: _conditional,
    ast.Tuple: _tuple,
    ast.List: _list,
    ast.Set: _list,
    ast.Dict: _dict,
    ast.Subscript: _subscript,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _comprehension,
    ast.Lambda: _lambda,
    ast.JoinedStr: _formatted,
    ast.NamedExpr: _walrus,
    ast.Starred: _starred,
    ast.Await: _await,
    ast.Yield: _yield,
    ast.YieldFrom: _yield_from,
    ast.Slice: _slice,
}
