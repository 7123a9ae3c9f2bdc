"""Text to tree, with a reason a reader can act on where that fails."""

from __future__ import annotations

import ast
import re
import sys
import warnings
from collections.abc import Sequence
from typing import Final, cast, overload

from devicefix.source.errors import SourceError, TooDeepError

_PYTHON_2: Final = (
    (re.compile(r"^\s*print\s+[^\s(=.,:\[]|^\s*print\s*>>"), "print statement"),
    (re.compile(r"^\s*exec\s+[^\s(=.,:\[]"), "exec statement"),
    (re.compile(r"^\s*except\s+[\w.]+\s*,\s*\w+\s*:"), "`except A, name`"),
    (re.compile(r"^\s*except\s*\([^)]*\)\s*,\s*\w+\s*:"), "`except (A, B), name`"),
    (re.compile(r"^\s*raise\s+[\w.]+\s*,"), "`raise A, value`"),
    (re.compile(r"<>"), "`<>`"),
    (re.compile(r"`[^`]+`"), "backquotes"),
    (re.compile(r"\b0[0-7]+[lL]?\b"), "octal literal"),
    (re.compile(r"\b\d+[lL]\b"), "long literal"),
    (re.compile(r"\b[uU][rR]['\"]"), "ur'' string"),
    (re.compile(r"^\s*def\s+\w+\s*\(.*\(\s*\w+\s*,"), "tuple parameter"),
)
"""Spellings that Python 3 rejects, and what they are called (docs.python.org/3/whatsnew/3.0)."""

_NEWER: Final = (
    ((3, 11), re.compile(r"^\s*except\s*\*"), "except*"),
    ((3, 12), re.compile(r"^\s*type\s+\w+\s*(\[.*\])?\s*="), "type statement"),
    ((3, 12), re.compile(r"^\s*(async\s+def|def|class)\s+\w+\s*\["), "type parameters"),
    ((3, 14), re.compile(r"\b[rR]?[tT][rR]?['\"]"), "template string"),
    (
        (3, 14),
        re.compile(r"^\s*except\s+[\w.]+\s*(,\s*[\w.]+\s*){2,}:"),
        "except without parentheses",
    ),
)
"""Syntax by the Python that introduced it (the "What's New" pages of each release)."""

_BLOCKS: Final = ("body", "orelse", "handlers", "finalbody", "cases")
"""Where statements hold statements."""

_ASYNC_NAME: Final = re.compile(r"\basync\s*=")


def parse(text: str, path: str) -> ast.Module:
    """Parse ``text``; raises ``SourceError`` with the line and the reason where that fails."""
    try:
        # Odd escapes and the like warn here; they are the author's affair, not ours.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _assigning(ast.parse(text))
    except SyntaxError as error:
        raise SourceError(path, error.lineno, _explain(error, text)) from None
    except (RecursionError, MemoryError):
        raise TooDeepError(path, None, "is nested too deeply for Python's parser") from None
    except ValueError as error:
        raise SourceError(path, None, f"cannot be parsed: {error}") from None


def annotation_of(tree: ast.AST) -> ast.expr | None:
    """What ``x: T = value`` says of its target; None for all other statements."""
    return getattr(tree, "annotation", None) if isinstance(tree, ast.Assign) else None


def annotated_targets(tree: ast.stmt) -> Sequence[ast.expr]:
    """What ``tree`` annotates, whether it assigns to it or not."""
    if isinstance(tree, ast.AnnAssign):
        return [tree.target]
    return tree.targets if isinstance(tree, ast.Assign) and annotation_of(tree) else []


def _assigning(module: ast.Module) -> ast.Module:
    """Make an `ast.Assign` of each annotated assignment, so that there is one form of it.

    It keeps its annotation as one field more. ``x: T`` assigns nothing and stays what it is.
    """
    waiting: list[ast.AST] = [module]
    while waiting:
        tree = waiting.pop()
        if isinstance(tree, ast.AnnAssign):
            if tree.value is not None:
                _make_assignment(tree)
            continue
        for name in _BLOCKS:
            waiting += getattr(tree, name, ())
    return module


def _make_assignment(tree: ast.AnnAssign) -> None:
    statement = cast(ast.Assign, tree)
    statement.__class__ = ast.Assign
    statement.targets = [tree.target]
    vars(statement)["_fields"] = ("targets", "annotation", "value")


def _explain(error: SyntaxError, text: str) -> str:
    message = error.msg or "invalid syntax"
    line = _line(error, text)
    newer = _newer_syntax(message, line)
    if newer:
        return f"{newer} (running {sys.version_info[0]}.{sys.version_info[1]}): {message}"
    if _ASYNC_NAME.search(line):
        renamed = "PyTorch renamed the argument to `non_blocking=`"
        return f"`async` has been a keyword since Python 3.7 ({renamed}): {message}"
    old = _old_syntax(error, message, line)
    if old:
        return f"looks like Python 2 ({old}): {message}"
    return f"syntax error: {message}"


def _line(error: SyntaxError, text: str) -> str:
    lines = re.split(r"\r\n|\r|\n", text)
    number = error.lineno or 0
    return lines[number - 1] if 0 < number <= len(lines) else ""


def _newer_syntax(message: str, line: str) -> str:
    for version, pattern, name in _NEWER:
        if sys.version_info < version and pattern.search(line):
            return f"{name} needs Python {version[0]}.{version[1]}"
    # PEP 701: quotes, backslashes and comments inside replacement fields.
    if sys.version_info < (3, 12) and message.startswith("f-string"):
        return "an f-string that may need Python 3.12"
    return ""


def _old_syntax(error: SyntaxError, message: str, line: str) -> str:
    if isinstance(error, TabError):
        return "tabs and spaces mixed"
    if message.startswith("Missing parentheses in call to"):
        return "print statement" if "'print'" in message else "exec statement"
    return next((name for pattern, name in _PYTHON_2 if pattern.search(line)), "")


PARENT: Final = "devicefix_parent"
"""The attribute in which a node keeps what holds it; see `Parents`."""
_LEAVES: Final = (ast.Constant, ast.Global, ast.Nonlocal)
"""Nodes whose fields hold no nodes."""
_BARE: Final = frozenset(
    [
        *("arg", "asname", "attr", "conversion", "id", "is_async", "kind", "level", "lineno"),
        *("module", "rest", "simple", "type_comment", "type_ignores"),
        *("ctx", "op", "ops"),
    ]
)
"""Fields that hold no nodes but those that all trees share: Python makes one `ast.Load` and one
`ast.Add`."""


class Parents:
    """The node that holds each node, of every tree that was `linked`.

    Nodes know it themselves: a dictionary would take as much memory as half the tree.
    """

    @overload
    def get(self, node: ast.AST) -> ast.AST | None: ...

    @overload
    def get(self, node: ast.AST, default: ast.AST) -> ast.AST: ...

    def get(self, node: ast.AST, default: ast.AST | None = None) -> ast.AST | None:
        """What holds ``node``; ``default`` for a module."""
        found: ast.AST | None = getattr(node, PARENT, default)
        return found

    def __contains__(self, node: ast.AST) -> bool:
        return self.get(node) is not None

    def __getitem__(self, node: ast.AST) -> ast.AST:
        found = self.get(node)
        if found is None:
            raise KeyError(node)
        return found


def link(statement: ast.stmt, tree: ast.Module) -> None:
    """All nodes of a statement of ``tree`` know what holds them from now on."""
    if getattr(statement, PARENT, None) is None:
        linked(statement)
        setattr(statement, PARENT, tree)


def linked(tree: ast.AST) -> tuple[ast.AST, ...]:
    """All nodes in the order of `ast.walk`, but for those that all trees share; each knows now
    what holds it.
    """
    found: list[ast.AST] = [tree]
    fields: dict[type[ast.AST], tuple[str, ...]] = {}
    for node in found:  # it grows meanwhile
        kind = type(node)
        if kind not in fields:
            fields[kind] = _holding(kind)
        for name in fields[kind]:
            value = getattr(node, name, None)
            if type(value) is list:
                for child in value:
                    if isinstance(child, ast.AST):
                        child.devicefix_parent = node  # type: ignore[attr-defined]
                        found.append(child)
            elif isinstance(value, ast.AST):
                value.devicefix_parent = node  # type: ignore[attr-defined]
                found.append(value)
    return tuple(found)


def unlink(tree: ast.Module) -> None:
    """No node of ``tree`` knows what holds it any more."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        node.__dict__.pop(PARENT, None)
        waiting += [child for child in ast.iter_child_nodes(node) if PARENT in child.__dict__]


def _holding(kind: type[ast.AST]) -> tuple[str, ...]:
    """The fields of such nodes that may hold others."""
    if kind in _LEAVES:
        return ()
    return tuple(name for name in kind._fields if name not in _BARE)
