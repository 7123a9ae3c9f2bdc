"""Files that others import, and that try what they define when they are run themselves."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Final

from devicefix.flow.analysis import Analysis
from devicefix.flow.scopes import FUNCTIONS
from devicefix.flow.values import FileRecord

_READS: Final = frozenset({
    "torch.jit.save", "torch.load", "torch.save", "torch.utils.data.DataLoader",
})  # fmt: skip
"""Data that are not made up for a trial, and what keeps its result."""


def is_imported(analysis: Analysis, file: FileRecord) -> bool:
    """Whether another file of the project imports it."""
    return file.imported or file.path in analysis.program.imported_elsewhere


def is_demo(analysis: Analysis, file: FileRecord) -> bool:
    """Others import it, and run by itself it only tries what it defines: with no data of its own,
    no result that is kept, and no word of a device."""
    chooses = file.chooses or any(file in files for files in analysis.seen.device_options.values())
    if not is_imported(analysis, file) or chooses:
        return False
    calls = analysis.seen.calls
    return not any(_READS & set(calls.get(call, ())) for call in _reached(analysis, file))


def _reached(analysis: Analysis, file: FileRecord) -> Iterator[ast.Call]:
    """The calls in a file that it comes to when it is run."""
    waiting: list[ast.stmt] = [*file.source.tree.body]
    known: set[ast.AST] = set()
    while waiting:
        for call in _calls_in([waiting.pop()]):
            yield call
            for function in analysis.seen.callees.get(call, ()):
                own = function is not None and analysis.home(function) is file
                if function is not None and own and function not in known:
                    known.add(function)
                    waiting += function.body if isinstance(function, FUNCTIONS) else ()


def _calls_in(trees: Iterable[ast.AST]) -> Iterator[ast.Call]:
    """Those that are not in functions of their own."""
    waiting = [*trees]
    while waiting:
        tree = waiting.pop()
        if isinstance(tree, ast.Call):
            yield tree
        if not isinstance(tree, FUNCTIONS):
            waiting += ast.iter_child_nodes(tree)
