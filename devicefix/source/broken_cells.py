"""Cells that are no Python, and whether the rest of a notebook can be looked at without them.

Exercises and sketches do not run, so they bind nothing, and a notebook that goes on below them does
not need them. But who mends such a cell, or has run an earlier form of it, may have meant a name
that a later cell reads: then nothing is known of that, and the notebook is left.
"""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections.abc import Iterator, Sequence
from typing import Final

from devicefix.source.errors import SourceError
from devicefix.source.imports import bound_names
from devicefix.source.parsing import parse

_WORD: Final = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|#[^\n]*|(?<![\w.])[^\W\d]\w*")
_KNOWN: Final = frozenset({*dir(builtins), *keyword.kwlist})
_OLD: Final = ("looks like Python 2", "`async` is a keyword")
"""How complaints begin about what can be converted."""


def complaint(text: str, path: str) -> SourceError | None:
    """Why a cell is no Python; the line is one of its own."""
    try:
        parse(text, path)
    except SourceError as error:
        return error
    return None


def is_old(error: SourceError) -> bool:
    """Whether the cell may be Python of another age."""
    return error.reason.startswith(_OLD)


def is_needed(text: str, later: Sequence[str]) -> bool:
    """Whether one of the ``later`` cells reads a name that the broken cell has in it."""
    words = {word for word in _WORD.findall(text) if word[0] not in "\"'#"} - _KNOWN
    trees = [tree for cell in later if (tree := _tree(cell)) is not None]
    imported = {name for tree in trees for name in _imported(tree)}
    read = {n.id for t in trees for n in ast.walk(t) if isinstance(n, ast.Name)}
    return not words.isdisjoint(read - imported)


def _tree(text: str) -> ast.Module | None:
    try:
        return parse(text, "")
    except SourceError:
        return None


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from bound_names(node)
