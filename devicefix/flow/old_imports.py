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
    return tuple(
        OldImport(i.statement, i.alias, i.name, i.reads, i.sole and not _leaves(analysis, file, i))
        for i in found
    )


def _leaves(analysis: Analysis, file: FileRecord, found: OldImport) -> bool:
    """Whether other files may take the name out of this one."""
    name = found.alias.asname or found.alias.name
    if file.package or file.path in analysis.program.imported_elsewhere:
        return True
    others = (f.source for f in analysis.files.values() if f is not file)
    return any(_takes(analysis, file, other, name) for other in others)


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


def _takes(analysis: Analysis, file: FileRecord, other: Source, name: str) -> bool:
    """Whether ``other`` takes ``name``, or everything, out of ``file``."""
    find = analysis.program.modules.find
    for statement in other.of_type(ast.ImportFrom):
        if {name, "*"}.isdisjoint(alias.name for alias in statement.names):
            continue
        if find(other.path, statement.module or "", statement.level) == file.path:
            return True
    return name in other.attributes and name in other.once(_asked)


def _asked(source: Source) -> frozenset[str]:
    """The attributes of modules that are not torch's."""
    origins: dict[str, str] = {}
    for node in source.imports:
        origins.update(bound_names(node))
    return frozenset(
        read.attr
        for read in source.of_type(ast.Attribute)
        if isinstance(read.value, ast.Name)
        and not origins.get(read.value.id, "torch").startswith("torch")
    )
