"""Files with code that is compiled for CUDA, and what has another way where there is none."""

from __future__ import annotations

import ast
from typing import Final

from devicefix.flow.analysis import Analysis
from devicefix.flow.cuda_guards import Guards, catches
from devicefix.flow.imported import dotted, origins
from devicefix.flow.scripts import is_main_guard
from devicefix.flow.values import FileRecord
from devicefix.torch_api import CUDA_LIBRARIES, canonical

_COMPILERS: Final = frozenset(
    f"torch.utils.cpp_extension.{name}" for name in ("CUDAExtension", "load", "load_inline")
)
_LIBRARIES: Final = CUDA_LIBRARIES | {"apex"}


def kernel_in(analysis: Analysis, file: FileRecord) -> tuple[ast.AST, str] | None:
    """Where a file uses what is compiled for CUDA whatever is decided, and what that is."""
    known = dict(file.source.once(origins))
    if not any(map(_library_of, known.values())) and "cpp_extension" not in file.source.text:
        return None
    guards = Guards(analysis, file.source)
    for node in file.source.imports:
        for alias in node.names if _has_another_way(analysis, guards, node) else ():
            known.pop(alias.asname or alias.name.partition(".")[0], None)
    for tree in file.source.of_type(ast.Attribute, ast.Name):
        if isinstance(tree, (ast.Attribute, ast.Name)) and not _is_part(analysis, tree):
            name = canonical(dotted(tree, known))
            if (library := _library_of(name)) and not _has_another_way(analysis, guards, tree):
                return tree, _told(name, library)
    return None


def _library_of(name: str) -> str:
    """The library for CUDA, or the compiler, that a dotted name is of."""
    if name in _COMPILERS:
        return name
    return next((lib for lib in _LIBRARIES if name == lib or name.startswith(f"{lib}.")), "")


def _is_part(analysis: Analysis, tree: ast.AST) -> bool:
    return isinstance(analysis.parents.get(tree), ast.Attribute)


def _told(name: str, library: str) -> str:
    compiles = name in _COMPILERS
    return f"{name} compiles code for CUDA" if compiles else f"`{library}` is a library for CUDA"


def _has_another_way(analysis: Analysis, guards: Guards, tree: ast.AST) -> bool:
    """Whether a condition decides about ``tree``, or its failure is caught."""
    if guards.are_around(tree):
        return True
    child, parent = tree, analysis.parents.get(tree)
    while parent is not None:
        if _decides(parent, child):
            return True
        child, parent = parent, analysis.parents.get(parent)
    return False


def _decides(parent: ast.AST, child: ast.AST) -> bool:
    match parent:
        case ast.If(test=test) | ast.IfExp(test=test):
            return child is not test and not is_main_guard(parent)
        case ast.BoolOp(values=[first, *_]):
            return child is not first
        case ast.Try(handlers=handlers):
            return any(map(catches, handlers))
    return False
