"""Does each random number still come from the generator that it came from?

Every device has a generator of its own: with one seed, ``torch.randn(3, device="cuda")`` gives
other numbers than ``torch.randn(3).cuda()``. What the program drew and then moved itself is drawn
where it was.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from devicefix.flow.values import Tensor
from devicefix.judge.comparison import Comparison, Move, Objection, is_transfer
from devicefix.torch_api import FACTORIES

NAME: Final = "draw"
_INITIALIZERS: Final = frozenset(
    f"{kind}_{shape}_" for kind in ("xavier", "kaiming") for shape in ("uniform", "normal")
) | {"trunc_normal_", "orthogonal_", "sparse_"}
_DRAWS: Final = _INITIALIZERS | {
    "bernoulli", "bernoulli_", "cauchy_", "dropout", "exponential_", "geometric_", "log_normal_",
    "multinomial", "normal", "normal_", "poisson", "rand_like", "randint_like", "randn_like",
    "random_", "uniform_",
}  # fmt: skip
"""What draws where its operand lives: methods, and functions of torch."""


def objections(comparison: Comparison) -> Iterator[Objection]:
    """For each tensor that was filled and then moved, and that is made on the device now."""
    for move in comparison.moves:
        if move.replaces is None or is_transfer(move.call):
            continue
        made = _made(comparison, move)
        nodes = frozenset[int]().union(*(_nodes(comparison, tree) for tree in made))
        if any(_is_drawn(comparison, tree) for tree in made) or _fills(comparison, nodes):
            reason = f"`{ast.unparse(move.device)}` has its own random number generator"
            yield comparison.objection(NAME, move.path, move.device, reason, move.call)


def _made(comparison: Comparison, move: Move) -> list[ast.expr]:
    """What makes the tensor in the original: what is moved there, or what is called."""
    key = comparison.key(move.path, move.call)
    found = list(comparison.old_nodes.get(key, ())) if key is not None else []
    for tree in found:
        if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Attribute):
            found.append(tree.func.value)
    return [tree for tree in found if not (isinstance(tree, ast.Call) and is_transfer(tree))]


def _is_drawn(comparison: Comparison, tree: ast.expr) -> bool:
    names = (
        comparison.before.analysis.seen.calls.get(tree, ()) if isinstance(tree, ast.Call) else ()
    )
    return any(row is not None and row.random for row in map(FACTORIES.get, names))


def _nodes(comparison: Comparison, tree: ast.expr) -> frozenset[int]:
    values = comparison.before.values(tree)
    return frozenset[int]().union(*(v.nodes for v in values if isinstance(v, Tensor)))


def _fills(comparison: Comparison, nodes: frozenset[int]) -> bool:
    """Whether the original draws into one of these, or from it, where it was made."""
    for path in comparison.maps if nodes else ():
        for call in comparison.before.program.sources[path].of_type(ast.Call):
            func = call.func
            if not isinstance(func, ast.Attribute) or func.attr not in _DRAWS:
                continue
            if any(nodes & _nodes(comparison, tree) for tree in (func.value, *call.args)):
                return True
    return False
