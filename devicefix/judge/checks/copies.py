"""Is what was a copy still one, where that matters?

``x.cuda()`` copies what is on the host, and ``x.to(device)`` gives ``x`` itself where ``device`` is
the CPU. If one of both is written in place while the other is in use, that is another program.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from devicefix.flow.cuda_guards import asks
from devicefix.flow.ir import Bodies, Body, Kind
from devicefix.flow.queries.congruence import same_value
from devicefix.flow.queries.liveness import reads_after
from devicefix.flow.queries.reaching import alternatives, loads_of, users_of
from devicefix.flow.routes import made_or_moved
from devicefix.flow.values import Tensor
from devicefix.judge.comparison import Comparison, Objection

NAME: Final = "copy"
_NAMING: Final = (
    ast.AnnAssign, ast.Assign, ast.Dict, ast.List, ast.NamedExpr, ast.Return, ast.Set, ast.Tuple,
    ast.Yield,
)  # fmt: skip
"""What keeps a value, or hands it on, under a name or in a place of its own."""


def objections(comparison: Comparison) -> Iterator[Objection]:
    """For each move that stands where one to CUDA stood, if its result is written in place."""
    for move in comparison.moves:
        old = move.replaces
        if old is None or not _is_written(comparison, old) or not _is_kept(comparison, old):
            continue
        if not asks(comparison.before.analysis, old):  # else the CPU had one tensor before
            source = old.func.value if isinstance(old.func, ast.Attribute) else old
            reason = (
                f"on the CPU it shares memory with `{ast.unparse(source)}`, "
                "and one is modified in place while the other is in use"
            )
            yield comparison.objection(NAME, move.path, move.device, reason, move.call)


def _is_written(comparison: Comparison, call: ast.Call) -> bool:
    """Whether the copy, by whatever name, is written in place somewhere."""
    analysis = comparison.before.analysis
    for before, after, _ in analysis.seen.transfers.get(call, ()):
        if not (isinstance(before, Tensor) and isinstance(after, Tensor)):
            continue
        if before.computed or analysis.graph.is_made_on_target(before.nodes):
            continue
        if any(map(analysis.graph.is_sealed, analysis.aliases.ways(after.nodes))):
            return True
    return False


def _is_kept(comparison: Comparison, call: ast.Call) -> bool:
    """Whether something reads the original later on."""
    source = call.func.value if isinstance(call.func, ast.Attribute) else call
    if isinstance(source, ast.Attribute):
        return not _is_only_name(comparison, call, source)
    if not isinstance(source, ast.Name):
        return False
    home = comparison.before.analysis.home(call).source
    body, points = home.once(Bodies).moments(call)
    names = {source.id, *_names_beside(body, source)}
    if not body.shared.isdisjoint(names):
        return True
    return any(reads_after(body, name, point) for name in names for point in points)


def _names_beside(body: Body, source: ast.Name) -> Iterator[str]:
    """The other names that what ``source`` reads was given: ``first = source``."""
    for read in body.of(source):
        for bound in alternatives(read.operands[0]) if read.kind is Kind.LOAD else ():
            for load in loads_of(body, bound):
                for user in users_of(body, load):
                    if user.kind is Kind.STORE:
                        yield user.name


def _is_only_name(comparison: Comparison, call: ast.Call, source: ast.Attribute) -> bool:
    """``self.x = self.x.cuda()`` of a tensor that nothing but this attribute was bound to: with
    the statement, the original is gone.
    """
    analysis = comparison.before.analysis
    body = analysis.home(call).source.once(Bodies).around(call)
    target = _bound(analysis.parents.get(call), call)
    if target is None or target.attr != source.attr:
        return False
    if not same_value(body, target.value, source.value):
        return False
    nodes = {
        node
        for before, _, _ in analysis.seen.transfers.get(call, ())
        if isinstance(before, Tensor)
        for node in before.nodes
    }
    origins = made_or_moved(analysis, nodes)
    return all(_is_bound_to(comparison, node, source.attr) for node in origins) and not any(
        _is_named_anew(comparison, path, source.attr) for path in comparison.before.program.sources
    )


def _is_named_anew(comparison: Comparison, path: str, attribute: str) -> bool:
    """Whether a statement of a file gives what an attribute of that name holds another name."""
    parents = comparison.before.analysis.parents
    reads = comparison.before.program.sources[path].of_type(ast.Attribute)
    return any(
        isinstance(read, ast.Attribute)
        and read.attr == attribute
        and isinstance(read.ctx, ast.Load)
        and isinstance(parents.get(read), _NAMING)
        for read in reads
    )


def _is_bound_to(comparison: Comparison, node: int, attribute: str) -> bool:
    """Whether what makes the tensor of ``node`` stands as the value of ``x.attribute = …``."""
    analysis = comparison.before.analysis
    key = analysis.graph.key(node)
    made = [part for part in key if isinstance(part, ast.expr)] if isinstance(key, tuple) else []
    targets = [_bound(analysis.parents.get(tree), tree) for tree in made]
    return bool(targets) and all(t is not None and t.attr == attribute for t in targets)


def _bound(statement: ast.AST | None, value: ast.AST) -> ast.Attribute | None:
    """The attribute that a statement binds to ``value``, and nothing else with it."""
    match statement:
        case ast.Assign(targets=[ast.Attribute() as target], value=bound) if bound is value:
            return target
    return None
