"""Imports of what torch has renamed or replaced, and who reads them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from devicefix.flow.legacy_facts import OldImport
from devicefix.flow.unread import is_taken
from devicefix.flow.values import FileRecord
from devicefix.source.imports import bindings
from devicefix.source.walking import walk
from devicefix.torch_api import COMPATIBLE, OLD_NAMES, canonical

if TYPE_CHECKING:
    from devicefix.flow.analysis import Analysis
    from devicefix.source import Source


_MODULES: Final = frozenset({"torch.autograd"})
"""Modules that programs import for what has been replaced in them."""
_OLD: Final = OLD_NAMES | _MODULES | COMPATIBLE.keys()


def old_imports(analysis: Analysis, file: FileRecord) -> tuple[OldImport, ...]:
    """Those of a file, in the order of the text."""
    found = file.source.once(_own)
    return tuple(
        replace(i, sole=i.sole and not is_taken(analysis, file, i.alias.asname or i.alias.name))
        for i in found
    )


def _own(source: Source) -> tuple[OldImport, ...]:
    imports = [n for n in source.nodes if isinstance(n, (ast.Import, ast.ImportFrom))]
    pairs = [(s, a) for s in imports for a in s.names if _name(s, a) in _OLD]
    if not pairs:
        return ()
    tried = {n for t in source.of_type(ast.Try) for n in walk(t)}
    bound = source.once(bindings)
    found = []
    for statement, alias in pairs:
        local = alias.asname or alias.name
        sole = bound[local] == 1 and statement not in tried
        reads = [n for n in source.of_type(ast.Name) if n.id == local]
        found.append(OldImport(statement, alias, _name(statement, alias), tuple(reads), sole))
    return tuple(found)


def _name(statement: ast.stmt, alias: ast.alias) -> str:
    """What an import binds a name to; empty where that is the first part of a dotted name."""
    match statement:
        case ast.ImportFrom(module=module, level=0):
            return canonical(f"{module}.{alias.name}")
        case ast.Import() if alias.asname is not None:
            return alias.name
    return ""
