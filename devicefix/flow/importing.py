"""What runs while a file is imported, and what its importers do only afterwards."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from devicefix.flow.gpu_choice import choices_in
from devicefix.flow.imported import dotted, origins
from devicefix.flow.scopes import FUNCTIONS
from devicefix.flow.scripts import is_main_guard
from devicefix.source import Program, Source
from devicefix.source.parsing import Parents
from devicefix.torch_api import ASKS_FOR_CUDA, canonical

_Import = ast.Import | ast.ImportFrom


def runs_on_import(place: ast.AST) -> bool:
    """Whether importing its file evaluates ``place``; the default of a parameter is evaluated."""
    return not any(is_main_guard(a) for a in _above(place)) and function_around(place) is None


def function_around(place: ast.AST) -> ast.AST | None:
    """The innermost function, or lambda, in whose body ``place`` is."""
    child = place
    for above in _above(place):
        if isinstance(above, ast.Lambda) and child is above.body:
            return above
        if isinstance(above, FUNCTIONS) and child in above.body:
            return above
        child = above
    return None


def _above(place: ast.AST) -> Iterator[ast.AST]:
    parents = Parents()
    while (above := parents.get(place)) is not None:
        yield above
        place = above


def imported(node: _Import, source: Source, program: Program) -> Iterator[str]:
    """The files of the program that a statement imports."""
    level = node.level if isinstance(node, ast.ImportFrom) else 0
    module = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
    for name in (module, *(f"{module}.{a.name}".lstrip(".") for a in node.names)):
        file = program.modules.find(source.path, name, level)
        if file is not None and file in program.sources:
            yield file


def import_graph(program: Program) -> dict[str, set[str]]:
    """The files that each file of the program imports."""
    return {
        path: {file for node in source.imports for file in imported(node, source, program)}
        for path, source in program.sources.items()
    }


def closure(start: Iterable[str], after: dict[str, set[str]]) -> frozenset[str]:
    """``start``, and what follows it."""
    found, waiting = set[str](), list(start)
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += after.get(one, ())
    return frozenset(found)


def sharing_process(place: ast.AST, path: str, program: Program) -> frozenset[str]:
    """The files that run in a process which evaluates ``place``, in the file ``path``."""
    graph = program.once(import_graph)
    scripts = graph if runs_on_import(place) else (path,)
    processes = [closure((script,), graph) for script in scripts]
    return frozenset[str]().union(*(files for files in processes if path in files))


def imported_before_gpus_are_chosen(program: Program) -> frozenset[str]:
    """Files that some program imports, and then sets ``CUDA_VISIBLE_DEVICES``.

    One that asks for CUDA on import all the same does not count: it has set them for nothing.
    """
    choosing = [
        (s, choices) for s in program.sources.values() if (choices := choices_in(s.tree, s))
    ]
    graph = import_graph(program) if choosing else {}
    found: set[str] = set()
    for source, choices in choosing:
        early = [n for n in source.imports if any(not _is_before(c, n) for c in choices)]
        before = closure((f for n in early for f in imported(n, source, program)), graph)
        if not any(_asks_on_import(program.sources[file]) for file in {*before, source.path}):
            found |= before - {source.path}
    return frozenset(found)


def _is_before(choice: ast.stmt, node: _Import) -> bool:
    return choice.lineno < node.lineno and function_around(choice) in (None, function_around(node))


def _asks_on_import(source: Source) -> bool:
    known = source.once(origins)
    return any(
        canonical(dotted(call.func, known)) in ASKS_FOR_CUDA and runs_on_import(call)
        for call in source.of_type(ast.Call)
    )
