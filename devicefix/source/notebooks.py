"""Notebooks as programs: the code cells one after the other, and back into the file.

The text of a notebook has a comment before each cell, by which its cells are found again once it
was edited, and a placeholder for every line of IPython's, which comes back as it was. Only the
``source`` of cells that have changed is written anew into the JSON; all other bytes stay
(https://nbformat.readthedocs.io/en/latest/format_description.html).
"""

from __future__ import annotations

import functools
import itertools
import warnings
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from devicefix.findings import Place, Span
from devicefix.ipython import Escape, escapes, split
from devicefix.source.broken_cells import complaint, is_needed, is_old
from devicefix.source.cells import Cell, read_cells
from devicefix.source.decoding import LINE_END, dominant_line_end
from devicefix.source.errors import SourceError
from devicefix.source.json_text import Spelling

_MARK: Final = "#%%~"


class _Kept(Struct, frozen=True):
    """A line of IPython's."""

    line: str
    code: str
    """What stands for it, without the comment."""
    escape: Escape

    def restored(self, code: str) -> str | None:
        """The line, with what became of the statement on it; None where it cannot be put back."""
        indent, prefix = self.escape.indent, self.escape.prefix
        if code == self.code:
            return self.line
        if not prefix or not code.startswith(indent) or not code.strip():
            return None
        trailing = self.line[len(self.line.rstrip()) :]
        return f"{indent}{prefix}{code[len(indent) :].rstrip()}{trailing}"


class Notebook(Struct, frozen=True, dict=True):
    """A notebook of Python, and its code cells as one text."""

    path: str
    json: str
    """The text of the file."""
    encoding: str
    cells: tuple[Cell, ...]
    """Those that belong to the program, in their order."""
    mark: str
    """Begins the comments that are ours; stands nowhere else in the text."""
    newline: str
    left_out: tuple[SourceError, ...] = ()
    """Cells that are no Python, and that no other needs."""
    broken: SourceError | None = None
    """The first one that others may need."""

    @functools.cached_property
    def text(self) -> str:
        """The program."""
        return self._translated[0]

    @functools.cached_property
    def _translated(self) -> tuple[str, list[_Kept]]:
        """The text, and the lines that a placeholder stands for."""
        kept: list[_Kept] = []
        pieces: list[str] = []
        for cell in self.cells:
            pieces.append(f"{self._heading(cell)}{self.newline}")
            if cell.source:
                pieces += [*_python_lines(cell.source, self.mark, kept), self.newline]
            pieces.append(self.newline)
        return "".join(pieces), kept

    def _heading(self, cell: Cell) -> str:
        return f"{self.mark}cell {cell.number}"

    # -- places ------------------------------------------------------------------------------------

    @functools.cached_property
    def _headings(self) -> list[int]:
        """The 1-based lines of the text that begin the cells."""
        lines = LINE_END.split(self.text)
        found = iter(enumerate(lines, start=1))
        return [
            next(number for number, line in found if line == self._heading(cell))
            for cell in self.cells
        ]

    def place(self, line: int, column: int = 1) -> Place:
        """The cell, and the place in it, of a 1-based line and column of the text."""
        if not self.cells:
            return Place(line, column)
        at = max(bisect_right(self._headings, line) - 1, 0)
        kept = self._kept_on.get(line)
        if kept is not None and column > len(kept.escape.indent):
            column += len(kept.escape.prefix)
        return Place(max(line - self._headings[at], 1), column, self.cells[at].number)

    @functools.cached_property
    def _kept_on(self) -> dict[int, _Kept]:
        """The lines of the text that a magic stands before."""
        found: dict[int, _Kept] = {}
        for number, line in enumerate(LINE_END.split(self.text), start=1):
            _, mark, index = line.rpartition(self.mark)
            if mark and index.isdigit():
                found[number] = self._translated[1][int(index)]
        return found

    def ends_cell(self, text: str, offset: int) -> bool:
        """Whether nothing but comments comes behind ``offset`` in its cell of ``text``."""
        end = text.find(f"{self.newline}{self.mark}cell ", offset)
        lines = LINE_END.split(text[offset : end if end >= 0 else len(text)])
        return all(not line.strip() or line.lstrip().startswith("#") for line in lines)

    def is_ours(self, line: int) -> bool:
        """Whether a 1-based line of the text stands for no Python of the user's."""
        return line in self._headings or line in self._kept_on

    def cell_lines(self) -> Iterator[tuple[int, range]]:
        """The number of each cell, and the 1-based lines of the text that are its source."""
        for cell, heading in zip(self.cells, self._headings, strict=True):
            lines = LINE_END.split(cell.source)
            count = len(lines) - (not lines[-1])
            yield cell.number, range(heading + 1, heading + 1 + count)

    def line(self, cell: int, line: int) -> int:
        """The line of the text for a 1-based line of a cell.

        Raises ``ValueError`` where the cell is none of the program, or has no such line.
        """
        numbers = [known.number for known in self.cells]
        if cell not in numbers:
            raise ValueError(f"no cell {cell} with Python in {self.path}")
        at = numbers.index(cell)
        last = len(LINE_END.split(self.cells[at].source))
        if not 1 <= line <= last:
            raise ValueError(f"no line {line} in cell {cell} of {self.path}: it has {last}")
        return self._headings[at] + line

    def json_line(self, cell: int, line: int) -> int:
        """The 1-based line of the file in which a 1-based line of a cell stands.

        Raises ``ValueError`` where the cell is none of the program.
        """
        known = next((one for one in self.cells if one.number == cell), None)
        if known is None:
            raise ValueError(f"no cell {cell} with Python in {self.path}")
        at, rest = known.span.start, line
        for value, span in known.elements or ():
            if rest < 1:
                break
            at, rest = span.start, rest - len(LINE_END.findall(value))
        return self.json.count("\n", 0, at) + 1

    def shown(self, line: str) -> str:
        """A line of the text as it stands in the cell."""
        code, mark, number = line.rpartition(self.mark)
        if not mark or not number.isdigit():
            return line
        return self._translated[1][int(number)].restored(code) or line

    # -- back into the file ------------------------------------------------------------------------

    def sources(self, text: str) -> Mapping[int, str]:
        """What the cells hold, by number, once the program is ``text``.

        Raises ``SourceError`` where that is not clear.
        """
        found: dict[int, str] = {}
        rest = text
        for cell, following in itertools.zip_longest(self.cells, self.cells[1:]):
            heading = f"{self._heading(cell)}{self.newline}"
            if not rest.startswith(heading):
                raise self._lost(cell)
            end = len(rest)
            if following is not None:
                end = rest.find(f"{self._heading(following)}{self.newline}", len(heading))
                if end < 0:
                    raise self._lost(following)
            found[cell.number] = self._cell(rest[len(heading) : end], cell)
            rest = rest[end:]
        return found

    def _cell(self, text: str, cell: Cell) -> str:
        """The source of a cell behind its heading."""
        source = text.removesuffix(self.newline).removesuffix(self.newline)
        if self.mark not in source:
            return source
        lines = split(source)
        kept = self._translated[1]
        for at, line in enumerate(lines):
            bare = line.rstrip("\r\n")
            code, mark, number = bare.rpartition(self.mark)
            if mark and number.isdigit() and int(number) < len(kept):
                original = kept[int(number)].restored(code)
                lines[at] = line if original is None else original + line[len(bare) :]
        source = "".join(lines)
        if self.mark in source:
            raise self._lost(cell)
        return source

    def _lost(self, cell: Cell) -> SourceError:
        return SourceError(self.path, None, f"the edits extend beyond cell {cell.number}")

    def encode(self, text: str) -> bytes:
        """The file with the cells as ``text`` has them. Raises ``SourceError``."""
        new = self.sources(text)
        changed = [cell for cell in self.cells if new[cell.number] != cell.source]
        return self._spliced(
            (cell.span, _literal(cell, new[cell.number], self)) for cell in changed
        )

    def without_outputs(self, numbers: Sequence[int]) -> bytes:
        """The file with no outputs and no execution count in these cells."""
        gone = [cell for cell in self.cells if cell.number in numbers]
        edits = [(cell.outputs, "[]") for cell in gone if cell.outputs is not None]
        edits += [(cell.count, "null") for cell in gone if cell.count is not None]
        return self._spliced(edits)

    def _spliced(self, edits: Iterator[tuple[Span, str]] | Sequence[tuple[Span, str]]) -> bytes:
        pieces, at = [], 0
        for span, text in sorted(edits, key=lambda edit: edit[0]):
            pieces += [self.json[at : span.start], text]
            at = span.end
        return "".join((*pieces, self.json[at:])).encode(self.encoding)

    @functools.cached_property
    def spelling(self) -> Spelling:
        """How the file writes strings."""
        spelling = Spelling(self.json)
        for cell in self.cells:
            spelling.learn(self.json[cell.span.start : cell.span.end])
        return spelling


def read_notebook(data: bytes, path: str) -> Notebook:
    """Read a notebook. Raises ``SourceError`` where it is none, or none of Python."""
    found = read_cells(data, path)
    text = "\n".join(cell.source for cell in found.cells)
    mark = _MARK
    while mark in text:
        mark += "~"
    newline = dominant_line_end(text)
    cells, left_out, broken = _sorted_out(found.cells, path, mark)
    return Notebook(path, found.json, found.encoding, cells, mark, newline, left_out, broken)


def _sorted_out(
    cells: tuple[Cell, ...], path: str, mark: str
) -> tuple[tuple[Cell, ...], tuple[SourceError, ...], SourceError | None]:
    """The cells of the program; why others are left out; why those that remain do not parse."""
    texts = ["".join(_python_lines(cell.source, mark, [])) for cell in cells]
    kept: list[Cell] = []
    left_out: list[SourceError] = []
    first: SourceError | None = None
    for at, cell in enumerate(cells):
        found = complaint(texts[at], path)
        error = found and SourceError(path, found.line, found.reason, cell.number)
        if error is not None and not is_old(error) and not is_needed(texts[at], texts[at + 1 :]):
            reason = f"{error.reason} (the cell is skipped)"
            left_out.append(SourceError(path, error.line, reason, cell.number))
            continue
        kept.append(cell)
        first = first or error
    return tuple(kept), tuple(left_out), first


def _python_lines(source: str, mark: str, kept: list[_Kept]) -> list[str]:
    """The lines of a cell as Python; those that are replaced go into ``kept``."""
    lines = split(source)
    for escape in list(escapes(lines)):
        for at in range(escape.first, escape.last + 1):
            bare = lines[at].rstrip("\r\n")
            code = _placeholder(escape, bare, at)
            lines[at] = f"{code}{mark}{len(kept)}{lines[at][len(bare) :]}"
            kept.append(_Kept(bare, code, escape))
    return lines


def _placeholder(escape: Escape, line: str, at: int) -> str:
    """What stands for a line, without the comment."""
    if at > escape.first or line.startswith("%%"):
        return escape.indent
    if escape.prefix:
        return f"{escape.indent}{line[len(escape.indent) + len(escape.prefix) :].rstrip()}  "
    if escape.target:
        value = "str().split()" if escape.lists else "get_ipython()"
        return f"{escape.indent}{escape.target} {value}  "
    return f"{escape.indent}pass  "


def _literal(cell: Cell, source: str, notebook: Notebook) -> str:
    """``source`` as the cell had it: one string, or a list with one for each line."""
    spell = notebook.spelling.string
    if cell.elements is None:
        return spell(source)
    old = {value: notebook.json[span.start : span.end] for value, span in cell.elements}
    lines = source.splitlines(keepends=True)
    strings = [old.get(line) or spell(line) for line in lines]
    lead, between, tail = cell.layout(notebook.json)
    return f"[{lead}{between.join(strings)}{tail}]"


def is_valid(data: bytes) -> bool:
    """Whether nbformat accepts a notebook."""
    import nbformat

    formats: Any = nbformat  # not all of it is typed
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that cells should have ids: so they were before
        try:
            content = formats.reader.reads(data.decode("utf-8-sig"))
            return bool(formats.validator.isvalid(content))
        except Exception:  # whatever its readers stumble over
            return False
