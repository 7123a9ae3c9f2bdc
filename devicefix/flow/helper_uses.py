"""How the files of a program can use a helper of its project: what they have, or can import.

A name that is imported anew must be found where the file runs, and importing it must change
nothing else. So an import is written as the file, which has some already, writes its own; and its
module, with all that this imports, does nothing but define.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

from msgspec.structs import replace

from devicefix.device_helpers import DeviceHelper, HelperUse
from devicefix.flow.gpu_choice import first_question
from devicefix.flow.helper_imports import imported_files
from devicefix.source import Program, Source
from devicefix.source.imports import bindings

_Import = ast.Import | ast.ImportFrom
_PACKAGE: Final = "__init__"
_DEFINES: Final = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Import,
    ast.ImportFrom,
)


def helper_uses(program: Program) -> Mapping[str, HelperUse]:
    """By file of the program, how it writes the device; files that cannot are missing."""
    if not program.helpers:
        return MappingProxyType({})
    found = {path: _use(source, program) for path, source in program.sources.items()}
    return {path: use for path, use in found.items() if use is not None}


def _use(source: Source, program: Program) -> HelperUse | None:
    """What is nearest: defined in the file, imported by it already, or to be imported."""
    for way in (_defined, _imported, _new):
        uses = (way(source, helper, program) for helper in program.helpers)
        found = next((use for use in uses if use is not None), None)
        if found is not None:
            return found
    return None


def _made(helper: DeviceHelper, holder: str = "", name: str = "") -> HelperUse:
    text = f"{holder}{name or helper.name}{'()' if helper.called else ''}"
    return HelperUse(text, helper.typed, helper.only_cuda)


# -- what the file has -----------------------------------------------------------------------------


def _defined(source: Source, helper: DeviceHelper, program: Program) -> HelperUse | None:
    """The file's own function, if nothing that it does stands above."""
    if helper.path != source.path or not helper.called:
        return None
    for statement in source.tree.body:
        if isinstance(statement, ast.FunctionDef) and statement.name == helper.name:
            end = statement.end_lineno or statement.lineno
            return replace(_made(helper), name=helper.name, defined=True, line=end)
        if not (isinstance(statement, _DEFINES) or _is_text(statement)):
            return None
    return None


def _is_text(statement: ast.stmt) -> bool:
    value = getattr(statement, "value", None)
    return isinstance(statement, (ast.Expr, ast.Assign)) and isinstance(value, ast.Constant)


def _imported(source: Source, helper: DeviceHelper, program: Program) -> HelperUse | None:
    """What an import at the top of the file has brought."""
    bound = source.once(bindings)
    for node in _own_imports(source, program):
        for alias in node.names:
            local = alias.asname or alias.name
            made = _brought(source, node, alias, helper, program)
            if made is not None and bound[local.partition(".")[0]] == 1:
                return replace(made, line=node.end_lineno or node.lineno)
    return None


def _brought(
    source: Source, node: _Import, alias: ast.alias, helper: DeviceHelper, program: Program
) -> HelperUse | None:
    """How the helper is used by one name of an import."""
    find, local = program.modules.find, alias.asname or alias.name
    if isinstance(node, ast.Import):
        found = find(source.path, alias.name)
    elif find(source.path, node.module or "", node.level) == helper.path:
        return _made(helper, name=local) if alias.name == helper.name else None
    else:
        found = find(source.path, f"{node.module or ''}.{alias.name}".lstrip("."), node.level)
    return _made(helper, f"{local}.") if found == helper.path else None


def _own_imports(source: Source, program: Program) -> Iterator[_Import]:
    """The imports at the top of a file that are of its project."""
    for statement in source.tree.body:
        if isinstance(statement, (ast.Import, ast.ImportFrom)) and any(
            imported_files(source.path, statement, program.modules)
        ):
            yield statement


# -- what it can import ----------------------------------------------------------------------------


def _new(source: Source, helper: DeviceHelper, program: Program) -> HelperUse | None:
    if helper.path == source.path or source.path in helper.files:
        return None  # a cycle
    taken = helper.name in source.names or source.once(bindings)[helper.name]
    if taken or not _is_harmless(source, helper, program):
        return None
    for module in _spellings(source, helper, program):
        level = len(module) - len(module.lstrip("."))
        if program.modules.find(source.path, module.lstrip("."), level) == helper.path:
            first = _first_imports(source, program)
            same = [n for n, node in first.items() if _is_of(node, module.lstrip("."), level)]
            after = max(first, default=-1)
            new = replace(_made(helper), module=module, name=helper.name, after=after)
            return replace(new, beside=same[-1]) if same else new
    return None


def _is_harmless(source: Source, helper: DeviceHelper, program: Program) -> bool:
    """Whether all that an import runs the file runs anyway, or nobody sees."""
    files = {
        file
        for node in _first_imports(source, program).values()
        for file in imported_files(source.path, node, program.modules)
    }
    if helper.path in files:
        return True
    if source.once(first_question).waits:
        return False  # the module may ask for CUDA, which the file must not do yet
    roots = {name.partition(".")[0] for statement in source.tree.body for name in _named(statement)}
    return helper.silent and helper.libraries <= roots


def _named(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.Import):
        return [alias.name for alias in statement.names]
    own = isinstance(statement, ast.ImportFrom) and not statement.level
    return [statement.module or ""] if own and isinstance(statement, ast.ImportFrom) else []


def _spellings(source: Source, helper: DeviceHelper, program: Program) -> Iterator[str]:
    """How the module may be called, as the file calls others: by dots, or from a folder that is
    surely on the path."""
    here = Path(source.path).absolute()
    imports = list(_own_imports(source, program))
    for node in imports:
        if isinstance(node, ast.ImportFrom) and node.level:
            yield from _relative(here, Path(helper.path).absolute(), program)
    for node in imports:
        for module in _absolute(node):
            file = program.modules.find(source.path, module)
            folder = _root(file, module) if file is not None else None
            if folder is not None:
                yield from _below(folder, helper)
    if not imports and program.modules.is_at_top(source.path):
        yield from _below(here.parent, helper)


def _absolute(node: _Import) -> Sequence[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [] if node.level or not node.module else [node.module]


def _root(file: str, module: str) -> Path | None:
    """The folder that ``module`` is found from in ``file``."""
    path = Path(file).absolute()
    path = path.parent if path.stem == _PACKAGE else path.with_suffix("")
    parts = module.split(".")
    return path.parents[len(parts) - 1] if path.parts[-len(parts) :] == tuple(parts) else None


def _below(folder: Path, helper: DeviceHelper) -> Iterator[str]:
    path = Path(helper.path).absolute().with_suffix("")
    if path.is_relative_to(folder):
        parts = path.relative_to(folder).parts
        parts = parts[:-1] if parts[-1] == _PACKAGE else parts
        if parts and all(part.isidentifier() for part in parts):
            yield ".".join(parts)


def _relative(here: Path, there: Path, program: Program) -> Iterator[str]:
    """By dots, as long as the folders on the way are packages."""
    for level, folder in enumerate(here.parents, start=1):
        package = program.modules.is_in_package(str(folder / here.name))
        if not package:
            return
        if there.is_relative_to(folder):
            parts = there.with_suffix("").relative_to(folder).parts
            parts = parts[:-1] if parts[-1] == _PACKAGE else parts
            if all(part.isidentifier() for part in parts):
                yield "." * level + ".".join(parts)
            return


def _first_imports(source: Source, program: Program) -> dict[int, _Import]:
    """The imports of the project's own that a file begins with, by their numbers."""
    own = set(_own_imports(source, program))
    found = dict[int, _Import]()
    for number, statement in enumerate(source.tree.body):
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            if statement in own:
                found[number] = statement
        elif not _is_text(statement):
            break
    return found


def _is_of(node: _Import, module: str, level: int) -> bool:
    """``from module import name``, where names may be added."""
    of_it = isinstance(node, ast.ImportFrom) and (node.module or "", node.level) == (module, level)
    return of_it and node.names[0].name != "*"
