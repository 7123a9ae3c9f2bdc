"""Functions that other processes run: they work on the host, on copies of what they are given.
Threads run theirs on the very same objects.

A process has its own main block, too: nothing that is named there is known to its workers. What
``torch.multiprocessing.spawn`` starts is left out: there each process has a device of its own.
"""

from __future__ import annotations

import ast

from devicefix.flow.crossings import note_crossing
from devicefix.flow.data import STAY_COST, run_on_host
from devicefix.flow.dtypes import written_parts
from devicefix.flow.escapes import callables_in
from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.graph import HOST_NODE
from devicefix.flow.iteration import iterated
from devicefix.flow.joins import exact_items, tensors_in
from devicefix.flow.operands import is_writable
from devicefix.flow.values import (
    NONE,
    PLAIN,
    Const,
    External,
    Mapping,
    Stream,
    Tensor,
    Tuple,
    Unknown,
    Value,
)

_POOLS = frozenset({
    "concurrent.futures.ProcessPoolExecutor", "concurrent.futures.process.ProcessPoolExecutor",
    "multiprocessing.Pool", "multiprocessing.pool.Pool",
})  # fmt: skip
_PROCESSES = frozenset({"multiprocessing.Process", "multiprocessing.process.BaseProcess"})
_THREADS = {
    "threading.Thread": ((1, "target"), (3, "args"), (4, "kwargs")),
    "threading.Timer": ((1, "function"), (2, "args"), (3, "kwargs")),
}
"""Where they are told the function and its arguments."""
_STARTS = frozenset({"multiprocessing.get_context", "multiprocessing.set_start_method"})
_QUEUES = frozenset({
    "multiprocessing.JoinableQueue", "multiprocessing.Queue", "multiprocessing.SimpleQueue",
    "multiprocessing.queues.Queue",
})  # fmt: skip
_PIPES = frozenset({"multiprocessing.Pipe"})
_PIPE_END = "multiprocessing.connection.Connection"


def call_workers(frame: Frame, tree: ast.expr, name: str, args: Arguments) -> Value | None:
    """A call of ``multiprocessing`` or of a pool; None where it starts nothing that we follow."""
    name = name.removeprefix("torch.")
    holder, _, method = name.rpartition(".")
    if name in _STARTS:
        fresh = args.value(0, "method") in (Const("spawn"), Const("forkserver"))
        frame.seen.spawns = frame.seen.spawns or fresh
        return External("multiprocessing")
    if name in _QUEUES or name in _PIPES:
        return External(name) if name in _QUEUES else Tuple((External(_PIPE_END),) * 2)
    if holder in _QUEUES or holder == _PIPE_END:
        return _put(frame, tree, args)
    if name in _THREADS:
        function, positional, named = (args.value(*place) for place in _THREADS[name])
        positional, named = positional or Tuple(()), named or Mapping(frozenset())
        return _start(frame, tree, function or NONE, positional, named)
    if name in _PROCESSES:
        given = args.value(3, "args"), args.value(4, "kwargs")
        _run(frame, tree, args.value(1, "target"), _arguments(*given))
        return PLAIN
    if name in _POOLS:
        _run(frame, tree, args.value(None, "initializer"), _arguments(args.value(None, "initargs")))
        return External(name)
    return _call_pool(frame, tree, method, args) if holder in _POOLS else None


def _start(
    frame: Frame, tree: ast.expr, function: Value, positional: Value, named: Value
) -> Value | None:
    """A thread; None where nobody knows what it is started with."""
    exact = positional == Tuple(()) or bool(exact_items(positional))
    if not exact or not isinstance(named, Mapping) or not any(callables_in(function)):
        return None
    frame.call(tree, function, _arguments(positional, named))
    return PLAIN


def _call_pool(frame: Frame, tree: ast.expr, method: str, args: Arguments) -> Value:
    """What the methods of a pool do with a function (docs.python.org/3/library/multiprocessing)."""
    function, rest = args.value(0, "func"), args.after(1)
    match method:
        case "submit":
            _run(frame, tree, function, rest)
        case "apply" | "apply_async":
            given = _arguments(args.value(1, "args"), args.value(2, "kwds"))
            result = _run(frame, tree, function, given)
            return result if method == "apply" and result is not None else PLAIN
        case "map" | "imap" | "imap_unordered" | "map_async" | "starmap" | "starmap_async":
            streams = [v for _, v in rest.positional if not isinstance(v, Const)]
            items = [iterated(frame, tree, v) for v in streams]
            if method.startswith("starmap") and items:
                items = list(exact_items(items[0]))
            result = _run(frame, tree, function, Arguments([(None, item) for item in items]))
            if result is not None and not method.endswith("async"):
                return Stream(result)
    return PLAIN


def _arguments(positional: Value | None, keywords: Value | None = None) -> Arguments:
    """``args=(…)``, ``kwargs={…}``."""
    items = exact_items(positional) if positional is not None else ()
    records = keywords.records if isinstance(keywords, Mapping) else ()
    named = [(k, (None, v)) for r in records for k, v in r.items.items() if isinstance(k, str)]
    return Arguments([(None, item) for item in items], named)


def _run(frame: Frame, tree: ast.expr, function: Value | None, args: Arguments) -> Value | None:
    """Evaluate what a worker runs; tensors on their way to it had better be on the host."""
    _send(frame, tree, args)
    result = run_on_host(frame, tree, function, args)
    return None if isinstance(result, Unknown) else result


def _put(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    """``queue.put((scores, label))``: what is written there can be brought back there.

    Processes that are started afresh may share the memory of the device: their tensors stay.
    """
    rest = []
    for expr, value in written_parts(args.all()):
        one = isinstance(value, Tensor) and not value.maybe and not frame.seen.spawns
        if one and expr is not None and is_writable(frame, expr):
            frame.need_host(expr, value)
        else:
            rest.append((expr, value))
    return _send(frame, tree, Arguments(rest))


def _send(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    """What goes to another process had better be on the host; who knows what comes back."""
    values = [value for _, value in args.all()]
    for tensor in (t for value in values for t in tensors_in(value)):
        for node in tensor.nodes:
            frame.graph.connect(node, HOST_NODE, 0.0, STAY_COST)
    note_crossing(frame, tree, "process", *values)
    return Unknown("data sent by another process")
