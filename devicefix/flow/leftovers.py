"""Strings that name an accelerator where nobody was seen to use them as a device."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from devicefix.flow.analysis import Analysis
from devicefix.flow.scopes import FUNCTIONS
from devicefix.flow.values import FileRecord, is_accelerator_string
from devicefix.source.walking import walk
from devicefix.torch_api import World, world

_ALWAYS_GIVEN: Final = "all known calls pass it"
_ONE_OF_SEVERAL: Final = re.compile(r"cuda:\d+")


def leftovers(analysis: Analysis, file: FileRecord) -> Iterator[tuple[ast.Constant, str]]:
    """Defaults of parameters, and what is handed on in a tuple, with the reason why it stays."""
    for tree in file.source.nodes:
        if isinstance(tree, FUNCTIONS):
            yield from _defaults(analysis, tree)
        elif isinstance(tree, ast.Constant) and _is_handed_on(analysis, tree):
            yield tree, "it is passed to code that was not analysed"


def _defaults(
    analysis: Analysis, function: ast.FunctionDef | ast.AsyncFunctionDef
) -> Iterator[tuple[ast.Constant, str]]:
    """``def __init__(self, device="cuda")``, where the body uses it as a device."""
    spec = function.args
    positional = [*spec.posonlyargs, *spec.args]
    pairs = [
        *zip(positional[len(positional) - len(spec.defaults) :], spec.defaults, strict=True),
        *zip(spec.kwonlyargs, spec.kw_defaults, strict=True),
    ]
    for parameter, default in pairs:
        if not (isinstance(default, ast.Constant) and is_accelerator_string(default.value)):
            continue
        if any(_uses_as_device(node, parameter.arg) for node in walk(function)):
            yield default, _ALWAYS_GIVEN if _is_given(analysis, function, default) else ""


def _is_given(analysis: Analysis, function: ast.AST, default: ast.expr) -> bool:
    """Whether there are calls of ``function``, and none that was seen uses ``default``."""
    called = any(function in reached for reached in analysis.seen.callees.values())
    return called and default not in analysis.seen.defaults


def _uses_as_device(node: ast.AST, name: str) -> bool:
    """``x.to(device)``, ``f(device=device)``, ``torch.device(device)``."""
    if not isinstance(node, ast.Call):
        return False
    called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    first = node.args[0] if node.args and called in ("to", "device") else None
    given = [first, *(k.value for k in node.keywords if k.arg in ("device", "map_location"))]
    return any(isinstance(g, ast.Name) and g.id == name for g in given)


def _is_handed_on(analysis: Analysis, tree: ast.Constant) -> bool:
    """``Bench(device="cuda")`` of a library, ``args=("cuda:0",) + args``: for somebody else."""
    holder = analysis.parents.get(tree)
    if isinstance(holder, ast.keyword) and is_accelerator_string(tree.value):
        return holder.arg == "device" and _is_unknown(analysis, analysis.parents[holder])
    if not (isinstance(tree.value, str) and _ONE_OF_SEVERAL.fullmatch(tree.value)):
        return False
    if not isinstance(holder, ast.Tuple):
        return False
    above = analysis.parents.get(holder)
    while isinstance(above, ast.BinOp):
        above = analysis.parents.get(above)
    return isinstance(above, (ast.keyword, ast.Call))


def _is_unknown(analysis: Analysis, call: ast.AST) -> bool:
    """Whether it calls a library of which nothing is known, and nothing of the program."""
    names = analysis.seen.calls.get(call, set()) if isinstance(call, ast.Call) else set()
    return bool(names) and all(world(name) is World.UNKNOWN for name in names)
