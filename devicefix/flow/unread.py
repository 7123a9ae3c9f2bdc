"""Names of a file that nothing reads, neither there nor in the other files of the program."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from devicefix.flow.scopes import scope_of
from devicefix.flow.values import FileRecord
from devicefix.source.imports import bindings, bound_names
from devicefix.source.walking import walk

if TYPE_CHECKING:
    from devicefix.flow.analysis import Analysis
    from devicefix.source import Source

_PURE: Final = (
    *(ast.Name, ast.Attribute, ast.Constant, ast.UnaryOp, ast.Not, ast.BoolOp, ast.boolop),
    *(ast.Compare, ast.cmpop, ast.expr_context, ast.IfExp),
)
_ASKS: Final = frozenset({"torch.cuda.is_available", "torch.cuda.device_count"})
_BY_TEXT: Final = frozenset({"eval", "exec", "globals", "locals", "vars"})


def unread_flags(analysis: Analysis, file: FileRecord) -> tuple[ast.Assign, ...]:
    """``use_cuda = torch.cuda.is_available()`` and ``gpu = args.gpu``, where nothing reads that."""
    public = analysis.program.modules.is_installed(file.path)
    if public or not _BY_TEXT.isdisjoint(file.source.names):
        return ()
    read = {n.id for n in file.source.of_type(ast.Name) if isinstance(n.ctx, ast.Load)}
    return tuple(
        node
        for node in file.source.of_type(ast.Assign)
        for name in _flag(analysis, node)
        if name not in read and file.source.once(bindings)[name] == 1
        if not is_taken(analysis, file, name)
    )


def _flag(analysis: Analysis, node: ast.Assign) -> Iterator[str]:
    """The name that an assignment binds to what it has only asked for."""
    match node.targets:
        case [ast.Name(id=name)]:
            parts = list(walk(node.value))
            calls = [n for n in parts if isinstance(n, ast.Call)]
            asked = (analysis.seen.calls.get(call, set()) for call in calls)
            pure = all(isinstance(n, (*_PURE, ast.Call)) for n in parts)
            option = isinstance(node.value, ast.Attribute)  # `GPU = args.gpu`
            known = (calls or option) and pure and all(names and names <= _ASKS for names in asked)
            if known and not isinstance(scope_of(analysis.parents, node), ast.ClassDef):
                yield name


def is_taken(analysis: Analysis, file: FileRecord, name: str) -> bool:
    """Whether somebody may take a name out of a file, or the file names it as a text."""
    if file.package or file.path in analysis.program.imported_elsewhere:
        return True
    if any(node.value == name for node in file.source.of_type(ast.Constant)):
        return True  # `__all__`, `getattr`
    return _is_taken(analysis, file, name, {file.path})


def _is_taken(analysis: Analysis, file: FileRecord, name: str, seen: set[str]) -> bool:
    return any(
        _takes(analysis, file, other, name, seen)
        for other in analysis.files.values()
        if other is not file
    )


def _takes(
    analysis: Analysis, file: FileRecord, other: FileRecord, name: str, seen: set[str]
) -> bool:
    """Whether ``other`` takes ``name`` out of ``file``, for itself or for others."""
    find, source = analysis.program.modules.find, other.source
    for statement in source.of_type(ast.ImportFrom):
        taken = {alias.name for alias in statement.names}
        if taken.isdisjoint((name, "*")):
            continue
        if find(other.path, statement.module or "", statement.level) != file.path:
            continue
        if name in taken or (_is_starred(file.source) and name in source.names):
            return True
        if _is_starred(file.source) and other.path not in seen:
            seen.add(other.path)
            if _is_for_others(analysis, other) or _is_taken(analysis, other, name, seen):
                return True
    asked = source.once(_asked).get(name, ()) if name in source.attributes else ()
    return any(_may_mean(file, module) for module in asked)


def _is_for_others(analysis: Analysis, file: FileRecord) -> bool:
    """Whether code that is not in the program imports it, or may."""
    program = analysis.program
    return file.path in program.imported_elsewhere or program.modules.is_installed(file.path)


def _may_mean(file: FileRecord, module: str) -> bool:
    """Whether what is imported as ``module`` may be ``file``, wherever ``sys.path`` begins."""
    path = PurePath(file.path)
    root = module.partition(".")[0]
    return not root or root in (*path.parts, path.stem)


def _is_starred(source: Source) -> bool:
    """Whether a star import brings what is not listed: there is no ``__all__``."""
    return "__all__" not in source.names


def _asked(source: Source) -> Mapping[str, frozenset[str]]:
    """The attributes of modules that are not torch's, each with the names of these modules."""
    origins: dict[str, str] = {}
    for node in source.imports:
        origins.update(bound_names(node))
    found: dict[str, set[str]] = defaultdict(set)
    for read in source.of_type(ast.Attribute):
        if isinstance(read.value, ast.Name):
            origin = origins.get(read.value.id, "torch")
            if not origin.startswith("torch"):
                found[read.attr].add(origin)
    return {attribute: frozenset(modules) for attribute, modules in found.items()}
