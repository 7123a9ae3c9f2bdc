"""Imports of what torch has renamed or replaced, and who reads them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devicefix.flow.facts import OldImport
from devicefix.flow.values import FileRecord
from devicefix.source.imports import bindings, bound_names
from devicefix.torch_api import OLD_NAMES, canonical

if TYPE_CHECKING:
    from devicefix.flow.analysis import Analysis
    from devicefix.source import Source


def old_imports(analysis: Analysis, file: FileRecord) -> tuple[OldImport, ...]:
    """Those of a file, in the order of the text."""
    found = file.source.once(_own)
    if not found:
        return ()
    others = [f.source for f in analysis.files.values() if f is not file]
    taken = frozenset[str]().union(*(source.once(_taken) for source in others))
    return tuple(
        OldImport(i.statement, i.alias, i.name, i.reads, i.sole and not _leaves(file, i, taken))
        for i in found
    )


def _leaves(file: FileRecord, found: OldImport, taken: frozenset[str]) -> bool:
    """Whether other files may take the name out of this one."""
    return file.package or bool(taken & {found.alias.asname or found.alias.name, "*"})


def _own(source: Source) -> tuple[OldImport, ...]:
    imports = [n for n in source.of_type(ast.ImportFrom) if not n.level]
    pairs = [(s, a) for s in imports for a in s.names if _name(s, a) in OLD_NAMES]
    if not pairs:
        return ()
    tried = {n for t in source.of_type(ast.Try) for n in ast.walk(t)}
    bound = source.once(bindings)
    exported = {n.value for n in source.of_type(ast.Constant) if isinstance(n.value, str)}
    found = []
    for statement, alias in pairs:
        local = alias.asname or alias.name
        sole = bound[local] == 1 and statement not in tried and local not in exported
        reads = [n for n in source.of_type(ast.Name) if n.id == local]
        found.append(OldImport(statement, alias, _name(statement, alias), tuple(reads), sole))
    return tuple(found)


def _name(statement: ast.ImportFrom, alias: ast.alias) -> str:
    return canonical(f"{statement.module}.{alias.name}")


def _taken(source: Source) -> frozenset[str]:
    """What a file takes out of other files of the program; ``*`` for everything."""
    found: set[str] = set()
    origins: dict[str, str] = {}
    for node in source.imports:
        origins.update(bound_names(node))
        if isinstance(node, ast.ImportFrom):
            other = node.level or not (node.module or "").startswith("torch")
            found.update(alias.name for alias in node.names if other)
    for read in source.of_type(ast.Attribute):
        if isinstance(read.value, ast.Name):
            origin = origins.get(read.value.id, "torch")
            found.update({read.attr} if not origin.startswith("torch") else ())
    return frozenset(found)
