"""What the host looks at before the device has finished: the clock, and copies under way.

Both are questions of one scope: which operations lie between, on all ways (``queries.between``),
and whether one of them may wait (``synchronization``). Where one may, on any way, nothing is told.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from devicefix.flow.facts import Timing, UnfinishedCopy
from devicefix.flow.graph import Label
from devicefix.flow.imported import dotted, is_sole, origins, root_name
from devicefix.flow.ir import Bodies, Body, Kind, Op
from devicefix.flow.queries.between import between
from devicefix.flow.queries.liveness import reads_after
from devicefix.flow.queries.reaching import alternatives
from devicefix.flow.queries.slicing import forward_slice
from devicefix.flow.synchronization import Synchronization, says_non_blocking
from devicefix.flow.values import Array, Bound, External, FileRecord, Tensor
from devicefix.source import Source
from devicefix.torch_api import CLOCKS, Effect, method

_PASSING = frozenset({
    Kind.STORE, Kind.LOAD, Kind.PHI, Kind.BUILD, Kind.UNPACK, Kind.ITEM, Kind.NEXT,
})  # fmt: skip
"""Operations that pass a value on and do not look at it."""

_COMPUTED = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.FormattedValue, ast.JoinedStr)
_READERS = frozenset(f"builtins.{n}" for n in ("bool", "float", "format", "int", "print", "str"))


def timings(sync: Synchronization, file: FileRecord) -> tuple[Timing, ...]:
    """Where a file measures the time of device work that may not be done yet."""
    found = []
    for tree in file.source.once(_differences):
        body = file.source.once(Bodies).around(tree)
        found += [t for op in body.of(tree) if (t := _timing(file.source, sync, body, op))][:1]
    return tuple(found)


def _differences(source: Source) -> tuple[ast.BinOp, ...]:
    """The subtractions of a file that reads a clock."""
    if not source.once(_clocks):
        return ()
    return tuple(n for n in source.of_type(ast.BinOp) if isinstance(n.op, ast.Sub))


def _clocks(source: Source) -> frozenset[ast.Call]:
    """The calls that read a clock."""
    known = source.once(origins)
    modules = {clock.partition(".")[0] for clock in CLOCKS}
    if not any(origin.partition(".")[0] in modules for origin in known.values()):
        return frozenset()
    return frozenset(
        call
        for call in source.of_type(ast.Call)
        if dotted(call.func, known) in CLOCKS and is_sole(root_name(call.func), known, source)
    )


def _timing(source: Source, sync: Synchronization, body: Body, difference: Op) -> Timing | None:
    assert isinstance(difference.node, ast.BinOp)
    clocks = source.once(_clocks)
    later, earlier = (_readings(operand, clocks) for operand in difference.operands)
    for end in later if earlier else ():
        work = _pending(sync, body, earlier, end)
        if work is not None:
            return Timing(difference.node, work.node)
    return None


def _readings(op: Op, clocks: frozenset[ast.Call]) -> list[Op]:
    """The readings of a clock that an operand may be; none where it may be something else."""
    if op.kind is Kind.CALL:
        return [op] if op.node in clocks else []
    if op.kind is not Kind.LOAD or not op.operands:
        return []
    bound = alternatives(op.operands[0])
    made = [one.operands[0] for one in bound if one.kind is Kind.STORE]
    known = len(made) == len(bound) and all(
        one.kind is Kind.CALL and one.node in clocks for one in made
    )
    return sorted(made, key=lambda one: (one.block, one.at)) if known else []


def _pending(sync: Synchronization, body: Body, begins: list[Op], end: Op) -> Op | None:
    """Work that is begun between a reading and the next, where nothing in between may wait.

    Where something does, be it before that work, what is not measured this time is most often
    measured the next: ``loss.item()`` in a loop, in front of ``loss.backward()``.
    """
    inside = between(body, begins, end, again=True)
    if any(map(sync.may_wait, inside)) or any(sync.left(op.node, end.node) for op in begins):
        return None
    in_order = sorted(inside, key=lambda op: (op.block, op.at))
    return next(filter(sync.works, in_order), None)


def unfinished_copies(sync: Synchronization, file: FileRecord) -> tuple[UnfinishedCopy, ...]:
    """Where a file reads what a copy to the host that does not block may not have brought yet."""
    calls = file.source.once(_copies)
    found = []
    for call in calls:
        body = file.source.once(Bodies).around(call)
        if _goes_to_host(sync, body, call):
            reads = [read for op in body.of(call) for read in _unawaited(sync, body, op)]
            found += [UnfinishedCopy(call, read.node) for read in reads[:1]]
    return tuple(found)


def _copies(source: Source) -> tuple[ast.Call, ...]:
    """The calls of methods that say ``non_blocking=True``."""
    if "non_blocking" not in source.text:
        return ()
    calls = (c for c in source.of_type(ast.Call) if isinstance(c.func, ast.Attribute))
    return tuple(call for call in calls if says_non_blocking(call))


def _goes_to_host(sync: Synchronization, body: Body, call: ast.Call) -> bool:
    """Whether a device tensor surely is copied into pinned memory.

    ``x.to("cpu", non_blocking=True)`` makes such memory itself; a copy to other memory waits.
    """
    assert isinstance(call.func, ast.Attribute)
    receiver = call.func.value
    if call.func.attr == "to":
        return sync.is_on(receiver, Label.TARGET) and sync.is_on(call, Label.HOST)
    if call.func.attr != "copy_" or not call.args:
        return False
    return (
        sync.is_on(receiver, Label.HOST)
        and sync.is_on(call.args[0], Label.TARGET)
        and _is_pinned(sync, body, receiver)
    )


def _is_pinned(sync: Synchronization, body: Body, name: ast.expr) -> bool:
    """Whether a name surely was bound to memory that its maker has pinned."""
    loads = [op for op in body.of(name) if op.kind is Kind.LOAD and op.operands]
    bound = [one for load in loads for one in alternatives(load.operands[0])]
    made = [one.operands[0].node for one in bound if one.kind is Kind.STORE]
    return bool(made) and len(made) == len(bound) and all(_pins(sync, tree) for tree in made)


def _pins(sync: Synchronization, tree: ast.AST) -> bool:
    """``torch.empty(3, pin_memory=True)``, ``x.pin_memory()``."""
    if not isinstance(tree, ast.Call):
        return False
    said = [k.value for k in tree.keywords if k.arg == "pin_memory"]
    methods = [v for v in sync.values(tree.func) if isinstance(v, Bound)]
    return any(isinstance(v, ast.Constant) and v.value is True for v in said) or (
        bool(methods) and all(value.name == "pin_memory" for value in methods)
    )


def _unawaited(sync: Synchronization, body: Body, copy: Op) -> Iterator[Op]:
    """What reads the copy, with nothing on the way from there that may wait."""
    for read in sorted(_reads(sync, body, copy), key=lambda one: (one.block, one.at)):
        ways = between(body, (copy,), read)
        comes = bool(ways) or _follows(copy, read)
        waits = any(map(sync.may_wait, ways)) or sync.left(copy.node, read.node)
        if comes and not waits:
            yield read


def _follows(first: Op, second: Op) -> bool:
    return first.block == second.block and first.at < second.at


def _reads(sync: Synchronization, body: Body, copy: Op) -> Iterable[Op]:
    held = forward_slice(body, _seeds(body, copy), lambda op: _passes(sync, op))
    for op in body.ops:
        given = op not in held and any(operand in held for operand in op.operands)
        if given and _looks(sync, op, held):
            yield op


def _seeds(body: Body, copy: Op) -> list[Op]:
    """The copy; of ``kept.copy_(x)``, what ``kept`` is read as later, too."""
    target = copy.operands[0].operands[0]
    written = isinstance(copy.node, ast.Call) and getattr(copy.node.func, "attr", "") == "copy_"
    if written and target.kind is Kind.LOAD:
        return [copy, *reads_after(body, target.name, (copy.block, copy.at + 1))]
    return [copy]


def _passes(sync: Synchronization, op: Op) -> bool:
    """Whether the result is the same memory, which nothing has looked at."""
    if op.kind in _PASSING:
        return True
    if op.kind is Kind.ATTRIBUTE:
        return any(isinstance(value, (Tensor, Bound)) for value in sync.values(op.node))
    if op.kind is not Kind.CALL or not isinstance(op.node, ast.Call):
        return False
    for value in sync.values(op.node.func):
        row = method(value.name) if isinstance(value, Bound) else None
        if not isinstance(value, Bound) or not isinstance(value.receiver, Tensor) or row is None:
            return False
        if row.effect is not Effect.VIEW and value.name != "numpy":
            return False
    return bool(sync.values(op.node.func))


def _looks(sync: Synchronization, op: Op, held: frozenset[Op]) -> bool:
    """Whether an operation that is given the copy surely reads it on the host."""
    if op.kind is Kind.BRANCH:
        return all(operand in held for operand in op.operands)
    if op.kind is Kind.COMPUTE:
        return isinstance(op.node, _COMPUTED)
    if op.kind is not Kind.CALL or not isinstance(op.node, ast.Call):
        return False
    values = sync.values(op.node.func)
    return bool(values) and all(_reads_given(value, op, held) for value in values)


def _reads_given(callee: object, op: Op, held: frozenset[Op]) -> bool:
    match callee:
        case Bound(receiver=Tensor(), name=name) if op.operands[0] in held:
            row = method(name)
            return row is not None and (
                row.effect in (Effect.COPY, Effect.HOST_READ, Effect.IN_PLACE)
                or name in ("item", "tolist")
            )
        case Bound(receiver=Array()):
            return op.operands[0] in held
        case External(name=name):
            return name in _READERS or name.startswith("numpy.")
    return False
