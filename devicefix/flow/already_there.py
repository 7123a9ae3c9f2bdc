"""What the program itself has brought to the accelerator, by ``.cuda()`` or by ``"cuda"``.

A value is there if all that it was made of has been brought there, on every way back. Where a
caller that nobody has seen, a setting or the state of a module decides, nothing is sure.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Final

from devicefix.flow.analysis import Analysis
from devicefix.flow.graph import TARGET_NODE
from devicefix.flow.sent import method_call, sent_on
from devicefix.flow.standing import kind
from devicefix.flow.values import Tensor
from devicefix.torch_api import method

_READS: Final = frozenset({"cpu", "item", "tolist"})
"""Methods whose results are the same wherever the tensor is."""


def is_there_already(analysis: Analysis, nodes: Iterable[int]) -> bool:
    """Whether what ``nodes`` stand for is surely on an accelerator, as the program is now."""
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


def is_computed_there(analysis: Analysis, nodes: Iterable[int]) -> bool:
    """Whether what ``nodes`` stand for is there in every run that works: an operation may have got
    its other operands from anywhere, but it has one that the program has brought there."""
    known = dict[int, bool]()
    return all(_is_computed_there(analysis, node, known) for node in nodes)


def _is_computed_there(analysis: Analysis, node: int, known: dict[int, bool]) -> bool:
    if node not in known:
        known[node] = node > TARGET_NODE and _is_brought(analysis, node)
        sources = [s for s, cost in analysis.graph.sources(node).items() if cost > 0]
        if not known[node] and node > TARGET_NODE and sources:
            of = any if kind(analysis, node) == "op" else all
            known[node] = of(_is_computed_there(analysis, source, known) for source in sources)
    return known[node]


def is_sent_on(analysis: Analysis, tree: ast.expr) -> bool:
    """Whether the tensor that ``tree`` gives is at once sent on, ``tree.to(device)``, to what is
    surely a device: it does not matter where it was before.

    What nobody has said anything about may be a dtype as well.
    """
    call = sent_on(analysis.parents, tree)
    if call is None:
        return False
    seen = analysis.seen.transfers.get(call, [])
    said = any(keyword.arg == "device" for keyword in call.keywords)
    return bool(seen) and all(said or _is_placed(analysis, call, after) for _, after, _ in seen)


def is_read_at_once(analysis: Analysis, tree: ast.expr) -> bool:
    """Whether nothing but a number is made of the tensor that ``tree`` gives, with no other tensor:
    ``tree.mean().item()``. That is the same wherever it is."""
    while (call := method_call(analysis.parents, tree)) is not None:
        name = getattr(call.func, "attr", "")
        if name in _READS:
            return True
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        if method(name) is None or not all(isinstance(a, ast.Constant) for a in given):
            return False
        tree = call
    return False


def _is_placed(analysis: Analysis, call: ast.Call, after: object) -> bool:
    return (
        isinstance(after, Tensor)
        and bool(after.nodes)
        and all(_is_placed_by(analysis, call, node) for node in after.nodes)
    )


def _is_placed_by(analysis: Analysis, call: ast.Call, node: int) -> bool:
    match analysis.graph.key(node):
        case ("to", _, ast.Call() as by, _):
            origins = analysis.seen.placed_by.get(node)
            return by is call and (origins is None or bool(origins))
    return False


def _is_brought(analysis: Analysis, node: int) -> bool:
    match analysis.graph.key(node):
        case ("to", _, ast.Call(ast.Attribute(attr="cuda")), _):
            return True
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
