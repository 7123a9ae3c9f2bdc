"""Transfers as edits of a draft."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from devicefix.edits import (
    EditError,
    add_keyword,
    append_call,
    insert_after,
    insert_at_body_start,
)
from devicefix.edits.devices import TRANSFER_RANK
from devicefix.findings import Edit
from devicefix.records import Place
from devicefix.settings import Settings
from devicefix.source import Source, SourceError
from devicefix.verification.loop import sites
from devicefix.verification.loop.draft import Draft
from devicefix.verification.loop.naming import Seen, device_at

_WITH_BODY: Final = (ast.For, ast.AsyncFor, ast.With, ast.AsyncWith)


@dataclass(frozen=True, slots=True)
class Site:
    """A statement of a file."""

    source: Source
    statement: ast.stmt
    running: ast.expr | None = None
    """The expression that was running, where that is known."""

    def at(self) -> Place:
        """Its first line."""
        line = self.statement.lineno
        function = sites.function_of(self.source, self.statement)
        name = function.name if function is not None else "<module>"
        return Place(self.source.path, line, name, self.source.line_text(line))


@dataclass(frozen=True, slots=True)
class Move:
    """One transfer."""

    site: Site
    """Where it is written."""
    target: ast.expr | str
    """The expression that is moved, or a name that `site` binds."""
    seen: Seen | None
    """What is known of the device; None for the CPU."""
    keyword: bool = False
    """``device=`` instead of ``.to(device)``."""


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Any other change."""

    site: Site
    """The statement that it is about."""
    edits: tuple[Edit, ...]


class Editor:
    """Turns transfers into edits of one draft."""

    def __init__(self, draft: Draft, settings: Settings) -> None:
        self._draft = draft
        self._settings = settings
        self._sources: dict[str, Source | None] = {}

    def site(self, place: Place) -> Site | None:
        """The statement at a line; None for code that is not of the tree."""
        if not self._draft.holds(place.file):
            return None
        path = os.path.realpath(place.file)
        if path not in self._sources:
            self._sources[path] = self._read(path)
        source = self._sources[path]
        statement = sites.statement_at(source, place.line) if source is not None else None
        return Site(source, statement) if source is not None and statement is not None else None

    def sources(self, word: str) -> Iterator[Source]:
        """The files that may be changed and have ``word`` in their text."""
        for path in sorted(self._draft.files):
            try:
                known = path.endswith(".py") and word.encode() in self._draft.bytes_of(path)
            except OSError:
                continue
            source = self._read(path) if known else None
            if source is not None:
                yield source

    def _read(self, path: str) -> Source | None:
        try:
            source = self._draft.source(path)
            return source if source.tree.body else None
        except (OSError, SourceError):
            return None

    def written(self, moves: Sequence[Move | Rewrite]) -> Draft | None:
        """The draft with ``moves``; None where one of them cannot be written."""
        edits: dict[str, dict[Edit, None]] = {}
        try:
            for move in moves:
                path = move.site.source.path
                edits.setdefault(path, {}).update(dict.fromkeys(self._edits(move)))
            return self._draft.edited(edits)
        except (EditError, SourceError, ValueError):
            return None

    def _edits(self, move: Move | Rewrite) -> Iterator[Edit]:
        source, statement = move.site.source, move.site.statement
        if _is_left_alone(source, statement):
            raise EditError("a comment says to leave it unchanged")
        if isinstance(move, Rewrite):
            yield from move.edits
            return
        if move.seen is None:
            assert isinstance(move.target, ast.expr)
            yield from append_call(source, move.target, ".cpu()", TRANSFER_RANK)
            return
        device = device_at(source, statement, move.seen, self._settings)
        if device is None:
            raise EditError("no device variable is in scope there")
        yield from device.edits
        if isinstance(move.target, str):
            yield _rebound(source, statement, move.target, device.text)
        elif move.keyword:
            assert isinstance(move.target, ast.Call)
            yield add_keyword(source, move.target, "device", device.text)
        else:
            yield from append_call(source, move.target, f".to({device.text})", TRANSFER_RANK)


def _is_left_alone(source: Source, statement: ast.stmt) -> bool:
    """Whether a comment keeps devicefix away."""
    whole = not getattr(statement, "body", ())
    last = (statement.end_lineno or statement.lineno) if whole else statement.lineno
    return source.suppressions.covers("DFX1", statement.lineno, last)


def _rebound(source: Source, statement: ast.stmt, name: str, device: str) -> Edit:
    """``x = x.to(device)`` behind what binds it; all names that are moved there in one statement.

    Raises ``EditError``.
    """
    known = _next(source, statement)
    names = _moved_names(known, device)
    if known is not None and names and name not in names:
        order = [node.id for node in ast.walk(statement) if isinstance(node, ast.Name)]
        span = source.span(known)
        together = sorted([*names, name], key=order.index)
        return Edit(span.start, span.end, 0, _moving(together, device))
    text = _moving([name], device)
    if not isinstance(statement, _WITH_BODY):
        return insert_after(source, statement, text)
    edit = insert_at_body_start(source, statement, text)
    if edit is None:
        raise EditError("the block is written on one line")
    return edit


def _moving(names: list[str], device: str) -> str:
    values = (f"{name}.to({device})" for name in names)
    return f"{', '.join(names)} = {', '.join(values)}"


def _next(source: Source, statement: ast.stmt) -> ast.stmt | None:
    """What runs next behind a binding: the first statement of a loop's body."""
    if isinstance(statement, _WITH_BODY):
        return statement.body[0]
    above = source.parent(statement)
    for block in ("body", "orelse", "finalbody"):
        statements = getattr(above, block, None)
        if isinstance(statements, list) and statement in statements[:-1]:
            following = statements[statements.index(statement) + 1]
            return following if isinstance(following, ast.stmt) else None
    return None


def _moved_names(statement: ast.stmt | None, device: str) -> list[str]:
    """The names of ``x, y = x.to(device), y.to(device)``; none for any other statement."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return []
    names = sites.plain_names(statement.targets[0])
    return names if names and ast.unparse(statement) == _moving(names, device) else []
