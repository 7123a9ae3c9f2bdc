"""What the program itself has brought to the accelerator, by ``.cuda()`` or by ``"cuda"``.

A value is there if all that it was made of has been brought there, on every way back. Where a
caller that nobody has seen, a setting or the state of a module decides, nothing is sure.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from devicefix.flow.analysis import Analysis
from devicefix.flow.graph import TARGET_NODE
from devicefix.flow.user_index import cuda_index


def is_there_already(analysis: Analysis, nodes: Iterable[int]) -> bool:
    """Whether what ``nodes`` stand for is surely on the accelerator, as the program is now."""
    waiting, known = list(nodes), set[int]()
    while waiting:
        node = waiting.pop()
        if node in known or _is_brought(analysis, node):
            continue
        known.add(node)
        sources = [source for source, cost in analysis.graph.sources(node).items() if cost > 0]
        if not sources or min(sources) <= TARGET_NODE:
            return False
        waiting += sources
    return True


def _is_brought(analysis: Analysis, node: int) -> bool:
    match analysis.graph.key(node):
        case ("to", _, ast.Call(ast.Attribute(attr="cuda")) as call, _):
            return cuda_index(call) is None
        case ("to" | "new", _, ast.expr() as tree, _):
            origins = analysis.seen.placed_by.get(node, ())
            named = {getattr(origin, "value", None) for origin in origins}
            return (bool(named) and named <= {"cuda", "cuda:0"}) or _is_typed(analysis, tree)
    return False


def _is_typed(analysis: Analysis, tree: ast.expr) -> bool:
    """``torch.cuda.FloatTensor(3)``, ``x.type(torch.cuda.FloatTensor)``."""
    parts = (tree.func, *tree.args) if isinstance(tree, ast.Call) else ()
    types = [analysis.seen.mentions[part] for part in parts if part in analysis.seen.mentions]
    names = {name for seen in types for name, _ in seen.values()}
    return bool(names) and all(name.startswith("torch.cuda.") for name in names)
