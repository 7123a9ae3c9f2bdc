"""``StringIO`` of Python 2, which holds bytes or text: in Python 3 these are two classes."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from devicefix.dialect.draft import Draft

MODULES: Final = frozenset({"StringIO", "cStringIO"})
_CLASS: Final = "StringIO"
_OF_TEXT: Final = frozenset({"decode", "read_text"})
"""Methods that give text, whatever they are given; ``"".join(chunks)`` may be an image."""
_OWN: Final = frozenset({
    "close", "getvalue", "read", "readline", "readlines", "seek", "tell", "truncate", "write",
    "writelines",
})  # fmt: skip


def holds_text(draft: Draft) -> bool:
    """Whether all buffers that a file makes surely hold text: what they begin with is, and nobody
    else, such as ``image.save(buffer)``, gets one that begins empty."""
    nodes = list(draft.walk())
    made = [node for node in nodes if isinstance(node, ast.Call) and _makes(node)]
    return all(_is_text(call.args[0]) if call.args else _is_own(nodes, call) for call in made)


def _makes(call: ast.Call) -> bool:
    func = call.func
    name = func.id if isinstance(func, ast.Name) else getattr(func, "attr", "")
    return name == _CLASS


def _is_text(tree: ast.expr) -> bool:
    match tree:
        case ast.Constant(value=str()) | ast.JoinedStr():
            return True
        case ast.BinOp(left=left):
            return _is_text(left)
        case ast.Call(func=ast.Attribute(attr=method)):
            return method in _OF_TEXT
    return False


def _is_own(nodes: Sequence[ast.AST], call: ast.Call) -> bool:
    """Whether nothing is done with an empty buffer but what it does itself, and printing."""
    kept = {held for node in nodes for held in _harmless(node)}
    assigned = [n for n in nodes if isinstance(n, ast.Assign) and n.value is call]
    bound = [t for n in assigned for t in n.targets if isinstance(t, ast.Name)]
    if not bound:
        return call in kept
    return all(read in kept for target in bound for read in _reads(nodes, target))


def _reads(nodes: Sequence[ast.AST], target: ast.Name) -> Iterator[ast.Name]:
    """Where the name is read before, in the order of the text, something else has it."""
    same = [n for n in nodes if isinstance(n, ast.Name) and n.id == target.id]
    behind = sorted((n for n in same if _place(n) > _place(target)), key=_place)
    return itertools.takewhile(lambda n: isinstance(n.ctx, ast.Load), behind)


def _place(tree: ast.expr) -> tuple[int, int]:
    return tree.lineno, tree.col_offset


def _harmless(node: ast.AST) -> Iterable[ast.AST]:
    """``buffer`` of ``buffer.write(…)``, ``print(…, file=buffer)`` and ``for line in buffer:``."""
    match node:
        case ast.Attribute(value=held, attr=name) if name in _OWN:
            yield held
        case ast.keyword(arg="file", value=held) | ast.For(iter=held):
            yield held
