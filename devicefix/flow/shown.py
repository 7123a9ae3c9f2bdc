"""Whether a parameter of code that nobody calls surely is a tensor where its device is asked for.

``x.device`` of a number, or of None, raises. What shows that a parameter is a tensor, such as
``torch.matmul(y, x)``, may stand on some ways through the function only; on the others callers may
bring anything. So it has to stand on every way to the place, or on every way on from there that
does not raise: a must-analysis, but that a loop counts as run.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from devicefix.flow.ir import Bodies, Body, Kind, Op
from devicefix.flow.observations import Occurrence
from devicefix.flow.queries.dataflow import Backward, Forward
from devicefix.flow.queries.loops import in_every_turn, loop_around
from devicefix.flow.scopes import FUNCTIONS
from devicefix.flow.values import Parameter
from devicefix.source.parsing import Parents


def is_shown(parameter: Parameter, seen: Occurrence) -> bool:
    """Whether each run that comes by the place shows that it is a tensor, or says that it is."""
    if parameter.declared or seen.place is None or parameter.frame.tree is not seen.frame.tree:
        return True
    source = seen.frame.file.source
    body, points = source.once(Bodies).moments(seen.place)
    parents = seen.frame.analysis.parents
    around = set(_tried(parents, seen.place))
    shown = [tree for tree in parameter.shown if around.issuperset(_tried(parents, tree))]
    showing = frozenset(_showing(body, shown))
    if not showing or not points:
        return False

    def shows(op: Op) -> bool | None:
        return True if op in showing or op.kind is Kind.RAISE else None

    known, found = Forward.of(body, shows), Backward.of(body, shows)
    return all(known.before(point) or found.after(point) for point in points)


def _tried(parents: Parents, tree: ast.AST) -> Iterator[ast.Try]:
    """The statements that catch what a tree raises."""
    above = parents.get(tree)
    while above is not None and not isinstance(above, FUNCTIONS):
        if isinstance(above, ast.Try) and above.handlers and tree in above.body:
            yield above
        tree, above = above, parents.get(above)


def _showing(body: Body, trees: Iterable[ast.AST]) -> Iterator[Op]:
    """The operations of a body that show it, and the headers of loops that do so in every turn."""
    for tree in trees:
        for op in body.of(tree):
            yield op
            loop = loop_around(body, op)
            while loop is not None and in_every_turn(body, loop, op):
                headers = body.of(loop.iter) if isinstance(loop, (ast.For, ast.AsyncFor)) else ()
                yield from headers
                op = headers[0] if headers else op
                loop = loop_around(body, op) if headers else None
