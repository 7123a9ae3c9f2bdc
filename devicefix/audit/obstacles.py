"""What a syntax tree uses that a target may lack: by what is imported, never by words."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from devicefix.audit.result import Category, Item
from devicefix.audit.targets import (
    DTYPES,
    ELSEWHERE,
    MODULES,
    OPERATORS,
    PACKAGES,
    SPEAKS_CUDA,
)
from devicefix.flow.imported import dotted, origins
from devicefix.flow.kernels import compiles_for_cuda
from devicefix.source import Source
from devicefix.source.imports import bound_names

_GROUP: Final = "torch.distributed.init_process_group"


def obstacles(source: Source, target: str) -> Iterator[tuple[Item, frozenset[int]]]:
    """Those of one file, each place once, with the lines that each is about."""
    known = source.once(origins)
    packages: dict[str, list[ast.stmt]] = {}
    for node in source.imports:
        for package in sorted(set(map(_package, bound_names(node).values())) - {""}):
            packages.setdefault(package, []).append(node)  # one may come in several statements
    for package, nodes in packages.items():
        if target not in ELSEWHERE.get(package, ()):
            item, _ = _item(Category.PACKAGE, source, nodes[0], package)
            yield item, frozenset(node.lineno for node in nodes)
    for tree in source.of_type(ast.Attribute, ast.Name):
        name = dotted(tree, known) if isinstance(tree, ast.expr) else ""
        if name in DTYPES.get(target, ()):
            yield _item(Category.UNSUPPORTED, source, tree, name)
    for call in source.of_type(ast.Call):
        if isinstance(call, ast.Call):
            yield from _of_call(source, call, dotted(call.func, known), target)


def _of_call(
    source: Source, call: ast.Call, name: str, target: str
) -> Iterator[tuple[Item, frozenset[int]]]:
    if compiles_for_cuda(call, name):
        yield _item(Category.KERNEL, source, call, name)
    if MODULES.get(name, name) in OPERATORS.get(target, ()):
        yield _item(Category.UNSUPPORTED, source, call, name)
    given = (*call.args[:1], *(k.value for k in call.keywords if k.arg == "backend"))
    named = (v.value for v in given if isinstance(v, ast.Constant) and isinstance(v.value, str))
    if name == _GROUP and target not in SPEAKS_CUDA and "nccl" in map(str.lower, named):
        yield _item(Category.BACKEND, source, call, "nccl")


def _package(name: str) -> str:
    """The package of the table that a dotted name belongs to; empty where none."""
    return next((p for p in PACKAGES if name == p or name.startswith(f"{p}.")), "")


def _item(
    category: Category, source: Source, node: ast.AST, what: str
) -> tuple[Item, frozenset[int]]:
    first = getattr(node, "lineno", 1)
    lines = range(first, getattr(node, "end_lineno", first) + 1)
    return Item(category, source.path, first, what), frozenset(lines)
