"""Where the program's own transfers come from, and what each of them costs.

A transfer that is not wrong may be waste: of what is there already, of what could have been made
there, one that waits although it need not, one that is made anew in every iteration. Only what
holds for the text as it is counts here, not what placement would change.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from devicefix.flow.analysis import Analysis
from devicefix.flow.facts import Route, Wait
from devicefix.flow.graph import Label, Solution
from devicefix.flow.ir import Bodies, Body, Op
from devicefix.flow.queries.congruence import same_value
from devicefix.flow.queries.loops import in_every_turn, is_invariant, loop_around
from devicefix.flow.values import FileRecord, Tensor
from devicefix.torch_api import EXACT, FACTORIES

_HARMLESS = frozenset({"dtype", "fill_value", "size"})
"""Keywords of factories that neither say where to, nor make a leaf."""
_PASSING = frozenset({"bind", "parameter", "rebind"})
"""Nodes of the same tensor under another name."""


def routes(analysis: Analysis, solution: Solution) -> dict[ast.Call, Route]:
    """What is known of the program's transfers of tensors, by call."""
    found = {}
    for call, seen in analysis.seen.transfers.items():
        pairs = [(before, after) for before, after, _ in seen]
        if all(_moves(before, after) for before, after in pairs) and _only_says_where(call):
            nodes = {n for before, _ in pairs if isinstance(before, Tensor) for n in before.nodes}
            found[call] = _route(analysis, solution, call, nodes)
    return found


def exact_factories(analysis: Analysis, file: FileRecord) -> frozenset[ast.Call]:
    """The calls of a file that make the same tensor on any device, and are not told where."""
    return frozenset(
        call
        for call in file.source.of_type(ast.Call)
        if (names := analysis.seen.calls.get(call))
        and names <= EXACT
        and {k.arg for k in call.keywords} <= _HARMLESS
        and not (names == {"torch.arange"} and _may_round(call))
    )


def _may_round(call: ast.Call) -> bool:
    """``torch.arange(0, 1, 0.1)``: a device may compute other digits."""
    given = [a.value if isinstance(a, ast.Constant) else None for a in call.args]
    apart = given[:1] + given[2:] if len(given) > 1 else []
    return bool(call.keywords and len(call.keywords) > _of_dtype(call)) or not all(
        isinstance(value, int) for value in apart
    )


def _of_dtype(call: ast.Call) -> int:
    return sum(keyword.arg == "dtype" for keyword in call.keywords)


def _moves(before: object, after: object) -> bool:
    """A tensor at a known place goes to the device, with the dtype that it has."""
    return (
        isinstance(before, Tensor)
        and isinstance(after, Tensor)
        and bool(before.nodes)
        and before.born is after.born
    )


def _only_says_where(call: ast.Call) -> bool:
    assert isinstance(call.func, ast.Attribute)
    named = {k.arg for k in call.keywords}
    if not named <= {"device", "non_blocking"} or _spread(call):
        return False
    first = call.args[0] if call.args else None
    host = isinstance(first, ast.Constant) and str(first.value).startswith("cpu")
    says = bool(call.args) or "device" in named
    return not host and (call.func.attr == "cuda" or (call.func.attr == "to" and says))


def _spread(call: ast.Call) -> bool:
    """``x.to(*where)``: nobody can tell which of them is the place."""
    return any(isinstance(a, ast.Starred) for a in call.args)


def _route(analysis: Analysis, solution: Solution, call: ast.Call, nodes: set[int]) -> Route:
    origins = made_or_moved(analysis, nodes)
    assert isinstance(call.func, ast.Attribute)
    made = call.func.value
    names = analysis.seen.calls.get(made, set()) if isinstance(made, ast.Call) else set()
    factory = made if isinstance(made, ast.Call) and names & FACTORIES.keys() else None
    host = {solution.label(node) for node in nodes} == {Label.HOST}
    return Route(
        call=call,
        factory=factory if host else None,
        names=frozenset(names),
        again=_same_transfer(analysis, call, origins),
        pinned=bool(origins) and origins <= analysis.pinned,
        loop=_invariant_in(analysis, call) if host else None,
    )


def made_or_moved(analysis: Analysis, nodes: Iterable[int]) -> set[int]:
    """The nodes where the tensor of ``nodes`` was made or last moved."""
    graph, found = analysis.graph, set()
    queue, seen = list(nodes), set(nodes)
    while queue:
        node = queue.pop()
        key = graph.key(node)
        if not (isinstance(key, tuple) and key[0] in _PASSING):
            found.add(node)
            continue
        queue += [s for s in graph.sources(node) if s not in seen]
        seen |= graph.sources(node).keys()
    return found


def _same_transfer(analysis: Analysis, call: ast.Call, origins: set[int]) -> ast.Call | None:
    """A transfer to the same place, in the same function, that every origin comes from."""
    keys = [analysis.graph.key(node) for node in origins]
    trees = [key[2] for key in keys if isinstance(key, tuple) and key[0] == "to"]
    if not trees or len(trees) < len(keys):
        return None
    return trees[0] if all(_makes_needless(analysis, tree, call) for tree in trees) else None


def _makes_needless(analysis: Analysis, earlier: ast.AST, call: ast.Call) -> bool:
    """``earlier`` goes to the same place, and runs whenever ``call`` does."""
    if not isinstance(earlier, ast.Call) or not isinstance(earlier.func, ast.Attribute):
        return False  # a name for a tensor type of CUDA makes its tensor there
    body = _body(analysis, call)
    pairs = [(one, op) for one in body.of(earlier) for op in body.of(call)]
    return (
        earlier is not call
        and bool(pairs)
        and _same_place(body, earlier, call)
        and all(body.dominates(one.block, op.block) for one, op in pairs)
    )


def _same_place(body: Body, one: ast.Call, other: ast.Call) -> bool:
    """Two methods of the same name are told the same destination."""
    assert isinstance(one.func, ast.Attribute)
    assert isinstance(other.func, ast.Attribute)
    told = [
        [*c.args[:1], *(k.value for k in c.keywords if k.arg == "device")] for c in (one, other)
    ]
    alike = one.func.attr == other.func.attr and len(told[0]) == len(told[1])
    return alike and all(same_value(body, a, b) for a, b in zip(*told, strict=True))


def _body(analysis: Analysis, call: ast.Call) -> Body:
    return analysis.home(call).source.once(Bodies).around(call)


def _loop(body: Body, op: Op) -> ast.stmt | None:
    """The loop statement that runs an operation again; None inside a comprehension."""
    loop = loop_around(body, op)
    return loop if isinstance(loop, ast.stmt) else None


def _invariant_in(analysis: Analysis, call: ast.Call) -> ast.stmt | None:
    """The innermost loop around ``call`` that does not change what is moved."""
    body = _body(analysis, call)
    op = next(iter(body.of(call)), None)
    loop = _loop(body, op) if op is not None else None
    if op is None or loop is None or not is_invariant(body, loop, op.operands[0].operands[0]):
        return None
    return loop


def waits(analysis: Analysis, solution: Solution) -> tuple[Wait, ...]:
    """Reads of device tensors in each turn of a loop, which waits for the device."""
    found = []
    for call, nodes in analysis.seen.awaited.items():
        body = _body(analysis, call)
        op = next(iter(body.of(call)), None)
        loop = _loop(body, op) if op is not None else None
        if op is None or loop is None or not in_every_turn(body, loop, op):
            continue
        if any(solution.label(node) is Label.TARGET for node in nodes):
            found.append(Wait(call, loop))
    return tuple(sorted(found, key=lambda w: (w.call.lineno, w.call.col_offset)))
