"""The moves in whose place the original names CUDA."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.flow.cuda_guards import kind_of
from devicefix.judge.comparison import Comparison, Move


def ported(comparison: Comparison) -> Iterator[Move]:
    """``x.to(device)`` for ``x.cuda()``, ``zeros(3, device=device)`` for ``zeros(3).cuda()``."""
    for move in comparison.moves:
        if any(names_cuda(comparison, call) for call in _replaced(comparison, move)):
            yield move


def _replaced(comparison: Comparison, move: Move) -> Iterator[ast.Call]:
    """The transfer that stood there, or what made the tensor."""
    if move.replaces is not None:
        yield move.replaces
    yield from comparison.old_calls(move.path, move.call)


def names_cuda(comparison: Comparison, call: ast.Call) -> bool:
    """``x.cuda()``, ``x.to("cuda")``, ``torch.cuda.FloatTensor(3)`` of the original."""
    if call.func in comparison.before.analysis.seen.mentions:
        return True
    given = [*call.args, *(k.value for k in call.keywords)]
    own = isinstance(call.func, ast.Attribute) and call.func.attr == "cuda"
    return own or any(kind_of(tree) == "cuda" for tree in given)
