"""Places as other tools find them: in the file as it lies in the repository.

Columns count in UTF-16 units, as SARIF, GitHub and editors do.
"""

from __future__ import annotations

import os
from pathlib import Path

from msgspec import Struct

from devicefix.engine import FileError, Left
from devicefix.findings import Finding, Span
from devicefix.reporting.texts import Texts
from devicefix.source import Source


class Region(Struct, frozen=True):
    """A range of a text, all 1-based; the end is the first column that is none of it."""

    line: int
    column: int
    end_line: int
    end_column: int


class FilePlace(Struct, frozen=True):
    """Where something is found."""

    path: str
    """From the root of the repository, with slashes; absolute where it lies elsewhere."""
    line: int | None = None
    """1-based; of a notebook in its JSON."""
    region: Region | None = None
    """Where more is known than the line."""
    cell: str = ""
    """``cell 3, line 4``, in notebooks."""


class Places:
    """The places of one report."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._root = root_of(Path.cwd())

    def path(self, path: str) -> str:
        """A file as it is called from the root of the repository."""
        absolute = Path(os.path.normpath(Path(path).absolute()))
        for known in (absolute, Path(os.path.realpath(absolute.parent)) / absolute.name):
            if known.is_relative_to(self._root):
                return known.relative_to(self._root).as_posix()
        return absolute.as_posix()

    def finding(self, finding: Finding, left: Left | None) -> FilePlace:
        """Where a finding is."""
        path, source = self.path(finding.path), self._texts.of(finding, left)
        if finding.cell is not None:
            return self._in_cell(path, finding.cell, finding.line, source)
        if source is None:
            return FilePlace(path, finding.line)
        found = region(source, finding.span)
        return FilePlace(path, found.line, found)

    def error(self, error: FileError) -> FilePlace:
        """What could not be worked on."""
        path = self.path(error.path)
        if error.cell is None:
            return FilePlace(path, error.line)
        source = self._texts.source(error.path, False)
        return self._in_cell(path, error.cell, error.line, source)

    def _in_cell(self, path: str, cell: int, line: int | None, source: Source | None) -> FilePlace:
        name = f"cell {cell}, line {line}" if line is not None else f"cell {cell}"
        try:
            notebook = source.notebook if source is not None else None
            at = notebook.json_line(cell, line or 1) if notebook is not None else None
        except ValueError:  # a cell that is left out
            at = None
        return FilePlace(path, at, cell=name)


def root_of(folder: Path) -> Path:
    """The root of the repository that holds ``folder``; that itself where there is none."""
    here = folder.absolute()
    above = (parent for parent in (here, *here.parents) if os.path.lexists(parent / ".git"))
    return next(above, here)


def region(source: Source, span: Span) -> Region:
    """A range of ``source``."""
    return Region(*_position(source, span.start), *_position(source, span.end))


def _position(source: Source, offset: int) -> tuple[int, int]:
    line, _ = source.position(offset)
    before = source.text[source.line_start(offset) : offset]
    return line, len(before.encode("utf-16-le", "surrogatepass")) // 2 + 1
