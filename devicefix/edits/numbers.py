"""Numbers of devices in what names CUDA: other accelerators may have one device only."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from devicefix.edits.errors import EditError
from devicefix.flow.cuda_checks import values_of
from devicefix.flow.imported import dotted, origins
from devicefix.torch_api import canonical

if TYPE_CHECKING:
    from devicefix.flow import CudaSite
    from devicefix.source import Source

_INDEX: Final = re.compile(r"cuda:(\d+)")
_COUNTS: Final = "device_count"


def require_first(source: Source, site: CudaSite, numbers: Iterable[ast.AST] = ()) -> None:
    """Raises ``EditError`` where a site names a device by a number above 0 that stands in the file,
    and nothing around it has counted the devices.

    ``numbers``: what it is given; without, they are looked for around a string.
    """
    asked = (canonical(dotted(c.func, source.once(origins))) for c in site.checks)
    if any(name.rpartition(".")[2] == _COUNTS for name in asked):
        return
    given: list[ast.AST] = [*numbers] or [_whole(source, site.tree)]
    if any(number > 0 for tree in given for number in _numbers(source, tree)):
        raise EditError(
            "it names a device index above 0, and other accelerators may have only one device"
        )


def _whole(source: Source, tree: ast.AST) -> ast.AST:
    """``"cuda:%d" % n``, ``"cuda:{}".format(n)``, ``torch.device("cuda", n)`` around a string."""
    while isinstance(above := source.parent(tree), (ast.BinOp, ast.Attribute, ast.Call)):
        called = above.func if isinstance(above, ast.Call) else tree
        named = dotted(called, source.once(origins)) if isinstance(called, ast.expr) else ""
        if called is not tree and named != "torch.device":
            break
        tree = above
    return tree


def _numbers(source: Source, tree: ast.AST) -> Iterator[int]:
    for node in ast.walk(tree):
        values = [node]
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            values += values_of(source, node)
        for value in values:
            if isinstance(value, ast.Constant) and type(value.value) is int:
                yield value.value
            elif isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield from (int(found) for found in _INDEX.findall(value.value))
