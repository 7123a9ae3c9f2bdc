"""A device for a function, or an object, that is told whether its things go to the accelerator.

``def train(loader, use_cuda)`` goes on to do what each of its callers asks for, the unseen ones
included: its device is made of ``use_cuda``, where that is known. The other branch leaves things
where they are: so all that is moved has to be on the host before.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from devicefix.flow.analysis import Analysis
from devicefix.flow.deciders import AVAILABLE, Decider, kept_by_object
from devicefix.flow.definitions import binds, enclosing, parameters
from devicefix.flow.expressions import is_move
from devicefix.flow.facts import DeviceName
from devicefix.flow.flags import Asking, asked_around
from devicefix.flow.frame import Frame
from devicefix.flow.gpu_choice import choices_in
from devicefix.flow.graph import HOST_NODE, TARGET_NODE, Label, Solution
from devicefix.flow.ir import WRITES, Bodies, Op
from devicefix.flow.locals import of_function, of_object
from devicefix.flow.moving import are_twins, only_moves, otherwise
from devicefix.flow.observations import Occurrence
from devicefix.flow.queries.access import READS, path_of
from devicefix.flow.queries.dataflow import Forward
from devicefix.flow.scopes import FUNCTIONS
from devicefix.flow.values import Instance, ObjectRecord, Tensor, Value
from devicefix.source.walking import walk
from devicefix.torch_api import layer


def device_of(
    asked: Decider, places: Sequence[Occurrence], conditions: Sequence[Asking]
) -> DeviceName | None:
    """What ``asked`` decides, named where it is decided; None where no name is free there.

    Where several methods of an object ask the same, the object has the name.
    """
    frame = places[0].frame.outermost
    if frame is None:
        return None
    alike = [c.tree for c in conditions if c.decider and c.decider.question == asked.question]
    if len({enclosing(frame.analysis, tree) for tree in alike}) > 1:
        kept = kept_by_object(frame.analysis, asked)
        shared = _device_of(kept, frame, places) if kept is not None else None
        if shared is not None:
            return shared
    return _device_of(asked, frame, places)


def _device_of(asked: Decider, frame: Frame, places: Sequence[Occurrence]) -> DeviceName | None:
    found = _named(asked, frame, places)
    if found is None or not all(_is_behind(asked, seen) for seen in places):
        return None
    if any(binds(statement, found.text) for statement in frame.file.source.tree.body):
        return None  # the file has a device of that name, which this one would hide
    anchor = asked.after or found.anchor
    return replace(found, flag=asked.text, anchor=anchor, question=asked.question)


def _named(asked: Decider, frame: Frame, places: Sequence[Occurrence]) -> DeviceName | None:
    if isinstance(asked.scope, ast.ClassDef):
        return of_object(frame, asked.scope)
    if not isinstance(asked.scope, FUNCTIONS) or frame.tree is not asked.scope:
        return None
    source = frame.file.source
    asks = AVAILABLE in asked.text
    too_early = choices_in(asked.scope, source)
    if asks and (too_early or frame.analysis.processes.why_not(asked.scope, source.path)):
        return None
    return of_function(frame.tree)


def _is_behind(asked: Decider, seen: Occurrence) -> bool:
    """Whether the place is reached after the condition is settled."""
    if asked.after is None:
        return True
    function = enclosing(seen.frame.analysis, asked.after)
    around = seen.frame.outermost
    elsewhere = around is not None and around.tree is not function
    return elsewhere or seen.line > (asked.after.end_lineno or asked.after.lineno)


def moves_from_host(
    analysis: Analysis,
    solution: Solution,
    asked: Decider,
    conditions: Sequence[Asking],
    *,
    closed: bool,
) -> bool:
    """Whether all that is moved where ``asked`` holds is on the host where it does not.

    ``closed``: all that calls the functions of the file was seen.
    """
    if asked.always:
        return True  # there is no run in which it does not hold
    alike = [c.tree for c in conditions if c.decider and c.decider.question == asked.question]
    moves = [call for tree in alike for call in moves_of(tree, analysis.parents.get(tree))]
    values = [(call, v) for call in moves for v, _, _ in analysis.seen.transfers.get(call, ())]
    return _are_moved_here_alone(analysis, moves, [value for _, value in values]) and all(
        _is_on_host(analysis, solution, asked, call, value, closed=closed) for call, value in values
    )


def moves_only_where(analysis: Analysis, asked: Decider, conditions: Sequence[Asking]) -> bool:
    """Whether the function that decides moves nothing but what ``asked`` is about."""
    if not isinstance(asked.scope, FUNCTIONS):
        return True
    for call in analysis.seen.transfers:
        # an earlier round may have written `.to(device)` for `.cuda()`
        moves = isinstance(call.func, ast.Attribute) and call.func.attr in ("cuda", "to")
        if moves and _is_inside(analysis, call, asked.scope):
            around = asked_around(analysis, call, conditions)
            if not any(a is not None and a.question == asked.question for a in around):
                return False
    return True


def _are_moved_here_alone(
    analysis: Analysis, moves: Sequence[ast.Call], values: Sequence[Value]
) -> bool:
    """Whether nothing else moves the modules among ``values``: they may be there already."""
    records = {r for value in values if isinstance(value, Instance) for r in value.records}
    elsewhere = (v for c, seen in analysis.seen.transfers.items() if c not in moves for v in seen)
    return not any(
        isinstance(value, Instance) and not records.isdisjoint(value.records)
        for value, _, _ in (elsewhere if records else ())
    )


def moves_of(tree: ast.If | ast.IfExp, above: ast.AST | None) -> Iterator[ast.Call]:
    """The calls of ``.cuda()`` in a condition that does nothing but move; ``above`` holds it."""
    if isinstance(tree, ast.IfExp):
        body: list[ast.AST] = [tree.body] if is_move(tree.body, tree.orelse) else []
    else:
        others = otherwise(tree, above)
        moves = are_twins(tree, others) if others else only_moves(tree)
        body = [*tree.body] if moves else []
    for node in (n for part in body for n in walk(part)):
        func = node.func if isinstance(node, ast.Call) else None
        if isinstance(node, ast.Call) and isinstance(func, ast.Attribute) and func.attr == "cuda":
            yield node


def _is_on_host(
    analysis: Analysis,
    solution: Solution,
    asked: Decider,
    call: ast.Call,
    value: Value,
    *,
    closed: bool,
) -> bool:
    if isinstance(value, Instance):
        return closed or all(
            _is_inside(analysis, r.tree, asked.scope) and not is_lent(r) for r in value.records
        )
    if not isinstance(value, Tensor) or not value.certain:
        return False
    graph = analysis.graph
    made_of = graph.made_of(value.nodes)
    origins = {n for n in made_of if n in (HOST_NODE, TARGET_NODE) or not graph.sources(n)}
    if origins != {HOST_NODE}:
        return False  # it is wherever somebody unseen has put something
    if any(solution.label(node) is not Label.HOST for node in value.nodes):
        return False
    return closed or _is_local(analysis, call)


def is_lent(record: ObjectRecord) -> bool:
    """A loss that is made with a weight of its callers: that is where they have it."""
    row = layer(record.layer) if record.layer else None
    if row is None or not row.tensor_arguments or not isinstance(record.tree, ast.Call):
        return False
    given = [k.value for k in record.tree.keywords if k.arg in (None, *row.tensor_arguments)]
    return any(not isinstance(value, ast.Constant) for value in (*record.tree.args, *given))


def _is_inside(analysis: Analysis, tree: ast.AST | None, scope: ast.AST) -> bool:
    while tree is not None and tree is not scope:
        tree = analysis.parents.get(tree)
    return tree is not None


def _is_local(analysis: Analysis, call: ast.Call) -> bool:
    """What the function binds itself, a name or an attribute: no caller has handed it in."""
    moved = call.func.value if isinstance(call.func, ast.Attribute) else call
    function = enclosing(analysis, call)
    if not isinstance(moved, ast.Name):
        return _is_set_before(analysis, moved)
    bound = any(binds(statement, moved.id) for statement in getattr(function, "body", []))
    return bound and moved.id not in parameters(function)


def _is_set_before(analysis: Analysis, tree: ast.expr) -> bool:
    """Whether the function sets ``self.noise`` on all ways that lead to where ``tree`` reads it."""
    body = analysis.home(tree).source.once(Bodies).around(tree)
    read = next((op for op in body.of(tree) if op.kind in READS and op.node is tree), None)
    path = path_of(read) if read is not None else None
    if read is None or path is None:
        return False

    def sets(op: Op) -> bool | None:
        found = path_of(op) if op.kind in WRITES else None
        return found == path if found is not None and path[: len(found)] == found else None

    return Forward.of(body, sets).before((read.block, read.at))
