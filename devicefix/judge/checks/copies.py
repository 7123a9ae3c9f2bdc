"""Is what was a copy still one, where that matters?

``x.cuda()`` copies what is on the host, and ``x.to(device)`` gives ``x`` itself where ``device`` is
the CPU. If one of both is written in place while the other is in use, that is another program.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from devicefix.flow.cuda_guards import asks
from devicefix.flow.ir import Bodies
from devicefix.flow.queries.liveness import reads_after
from devicefix.flow.values import Tensor
from devicefix.judge.comparison import Comparison, Objection

NAME: Final = "copy"


def objections(comparison: Comparison) -> Iterator[Objection]:
    """For each move that stands where one to CUDA stood, if its result is written in place."""
    for move in comparison.moves:
        old = move.replaces
        if old is None or not _is_written(comparison, old) or not _is_kept(comparison, old):
            continue
        if not asks(comparison.before.analysis, old):  # else the CPU had one tensor before
            source = old.func.value if isinstance(old.func, ast.Attribute) else old
            reason = (
                f"on the CPU it is no copy of `{ast.unparse(source)}`, "
                "and one is written in place while the other is in use"
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
        return True  # of an object, which outlives the call
    if not isinstance(source, ast.Name):
        return False
    home = comparison.before.analysis.home(call).source
    body, points = home.once(Bodies).moments(call)
    return source.id in body.shared or any(reads_after(body, source.id, p) for p in points)
