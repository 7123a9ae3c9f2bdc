"""What an import of a file runs, and whether that can be seen from outside."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct, field

from devicefix.flow.imported import dotted, origins
from devicefix.flow.scripts import is_for_types, is_main_guard
from devicefix.source import ModuleIndex, Source
from devicefix.source.walking import walk
from devicefix.torch_api import IS_AVAILABLE, canonical

Neighbour = Callable[[str], Source | None]
"""Another file of the project; None where it does not parse."""
_SILENT: Final = frozenset(
    {
        *IS_AVAILABLE,
        "collections.namedtuple",
        "dataclasses.dataclass",
        "dataclasses.field",
        "functools.cache",
        "functools.lru_cache",
        "logging.getLogger",
        "pathlib.Path",
        "torch.accelerator.current_accelerator",
        "torch.accelerator.is_available",
        "torch.cuda.device_count",
        "torch.device",
        "torch.inference_mode",
        "torch.no_grad",
        "typing.NamedTuple",
        "typing.TypeVar",
    }
)
"""Calls that ask, or make an object, and do nothing else."""


class Reached(Struct, frozen=True):
    """What runs when a file is imported."""

    files: set[str] = field(default_factory=set)
    """Of the project, with the file itself."""
    libraries: set[str] = field(default_factory=set)
    """The first parts of the names of others, but for torch and what comes with Python."""
    loud: set[str] = field(default_factory=set)
    """Those of `files` that do more than define and import."""

    @property
    def silent(self) -> bool:
        """Whether all of it does nothing but define and import."""
        return not self.loud

    @classmethod
    def of(cls, source: Source, modules: ModuleIndex, neighbour: Neighbour) -> Reached:
        """What an import of ``source`` runs."""
        found, waiting = cls(), [source.path]
        while waiting:
            path = waiting.pop()
            if path in found.files:
                continue
            found.files.add(path)
            file = neighbour(path)
            if file is None or not all(_is_silent(file, s) for s in file.tree.body):
                found.loud.add(path)
            waiting += _packages(path, modules)
            for node in file.imports if file is not None else ():
                found.libraries.update(_library(path, node, modules))
                waiting += imported_files(path, node, modules)
        return found


def imported_files(
    path: str, node: ast.Import | ast.ImportFrom, modules: ModuleIndex
) -> Iterator[str]:
    """The files of the project that an import in ``path`` runs."""
    for module, level, names in _modules(node):
        for name in (module, *(f"{module}.{name}".lstrip(".") for name in names)):
            file = modules.find(path, name, level)
            if file is not None:
                yield file


def _modules(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, int, list[str]]]:
    if isinstance(node, ast.ImportFrom):
        yield node.module or "", node.level, [alias.name for alias in node.names]
        return
    for alias in node.names:
        yield alias.name, 0, []


def _library(path: str, node: ast.Import | ast.ImportFrom, modules: ModuleIndex) -> Iterator[str]:
    for module, level, _ in _modules(node):
        root = module.partition(".")[0]
        known = root == "torch" or root in sys.stdlib_module_names
        if not (level or known or modules.find(path, module) or modules.is_package(path, root)):
            yield root


def _packages(path: str, modules: ModuleIndex) -> Iterator[str]:
    """The ``__init__.py`` of the folders around a file, as far as they are packages."""
    file = Path(path)
    for level, folder in enumerate(file.parents, start=1):
        package = modules.find(path, "", level)
        if package is None or Path(package).parent != folder:
            return
        yield package


def _is_silent(source: Source, statement: ast.stmt) -> bool:
    """Whether nothing of a statement can be seen by those who import its file."""
    match statement:
        case ast.Import() | ast.ImportFrom() | ast.Pass() | ast.Expr(value=ast.Constant()):
            return True
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            spec = statement.args
            run = [*statement.decorator_list, *spec.defaults, *filter(None, spec.kw_defaults)]
            return all(_asks(source, tree) for tree in run)
        case ast.ClassDef(body=body):
            run = [*statement.decorator_list, *statement.bases]
            run += [keyword.value for keyword in statement.keywords]
            return all(_asks(source, t) for t in run) and all(_is_silent(source, s) for s in body)
        case ast.Assign(targets=targets, value=value):
            named = all(isinstance(target, ast.Name) for target in targets)
            return named and _asks(source, value)
        case ast.AnnAssign(target=ast.Name(), value=value):
            return value is None or _asks(source, value)
        case ast.If(test=test, body=body, orelse=other):
            if is_main_guard(statement) or is_for_types(statement):
                return True
            return _asks(source, test) and all(_is_silent(source, s) for s in (*body, *other))
    return False


def _asks(source: Source, tree: ast.expr) -> bool:
    known = source.once(origins)
    calls = (node.func for node in walk(tree) if isinstance(node, ast.Call))
    return all(canonical(dotted(function, known)) in _SILENT for function in calls)
