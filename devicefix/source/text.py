"""One file: its text, its tree, and the way from tree positions to text offsets and back."""

from __future__ import annotations

import ast
import functools
import io
import itertools
import re
import tokenize
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar, cast

from msgspec import Struct

from devicefix.findings import Edit, Mention, Place, Span, in_order
from devicefix.source.decoding import LINE_END, decode, dominant_line_end, encode, signature_of
from devicefix.source.errors import SourceError, TooDeepError
from devicefix.source.fstrings import Embedded, Nested, embedded
from devicefix.source.parsing import Parents, linked, parse
from devicefix.source.suppressions import Suppressions, may_suppress, read_suppressions

if TYPE_CHECKING:
    from devicefix.source.notebooks import Notebook

NOTEBOOK: Final = ".ipynb"
_FSTRING: Final = re.compile(r"[fF][rR]?['\"]|[rR][fF]['\"]")
_LINE: Final = re.compile(r"(?<!, )\bline (\d+)\b")
_Answer = TypeVar("_Answer")
_Node = TypeVar("_Node", bound=ast.AST)


class Source(Struct, frozen=True, eq=False, dict=True, weakref=True):
    r"""The decoded text of one file, and what is derived from it.

    ``text`` has no byte-order mark and keeps every line end; ``encoding`` is the codec that gives
    back the file's bytes (``utf-8-sig`` where there was a mark); ``newline`` is the commonest line
    end (``\n`` where there is none). Offsets are indices into ``text``.

    That of a ``notebook`` is its code cells as one program, with a comment before each.
    """

    path: str
    text: str
    encoding: str = "utf-8"
    newline: str = "\n"
    notebook: Notebook | None = None
    signature: str = ""
    """A digest of the bytes that were read; empty for a text that was made."""

    @classmethod
    def read(cls, path: Path, display: str | None = None) -> Source:
        """Read a file; errors and findings call it ``display``. Raises ``SourceError``."""
        name = str(path) if display is None else display
        try:
            data = path.read_bytes()
        except (OSError, ValueError) as error:
            reason = (isinstance(error, OSError) and error.strerror) or str(error)
            raise SourceError(name, None, f"cannot be read: {reason}") from None
        return cls.from_bytes(data, name)

    @classmethod
    def from_bytes(cls, data: bytes, path: str) -> Source:
        """Decode as Python would (PEP 263); raises ``SourceError`` where Python would refuse."""
        if path.endswith(NOTEBOOK):
            from devicefix.source.notebooks import read_notebook

            book = read_notebook(data, path)
            return cls(path, book.text, book.encoding, book.newline, book, signature_of(data))
        text, encoding = decode(data, path)
        return cls(path, text, encoding, dominant_line_end(text), None, signature_of(data))

    @classmethod
    def from_text(cls, text: str, path: str = "<text>") -> Source:
        """Take text that was decoded elsewhere; a coding line in it is ignored, as ``ast`` does."""
        return cls(path, text, "utf-8", dominant_line_end(text))

    def encode(self, text: str) -> bytes:
        """Encode a new text as this file was; raises ``SourceError`` where the codec cannot."""
        if self.notebook is not None:
            return self.notebook.encode(text)
        data = encode(text, self.encoding, self.path)
        if not self.encoding.startswith("utf-8") and data.decode(self.encoding) != text:
            raise SourceError(self.path, None, f"changes when it is encoded as {self.encoding}")
        return data

    @functools.cached_property
    def tree(self) -> ast.Module:
        """The syntax tree; raises ``SourceError`` with the line and the reason."""
        if self.notebook is not None and self.notebook.broken is not None:
            raise self.notebook.broken  # two cells may make one text that parses
        try:
            return parse(self.text, self.path)
        except TooDeepError:
            raise
        except SourceError as error:
            raise self.error(error.line, error.reason) from None

    @functools.cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All nodes of the tree in the order of `ast.walk`, `Parents` of them all."""
        return linked(self.tree)

    def of_type(self, *kinds: type[_Node]) -> Sequence[_Node]:
        """The nodes of these very types; those of one type in the order of `nodes`."""
        found = [self._by_type.get(kind, ()) for kind in kinds]
        return cast(Sequence[_Node], found[0] if len(found) == 1 else [*itertools.chain(*found)])

    @functools.cached_property
    def imports(self) -> tuple[ast.Import | ast.ImportFrom, ...]:
        """The import statements, wherever they stand, in the order of `nodes`."""
        return tuple(n for n in self.nodes if isinstance(n, (ast.Import, ast.ImportFrom)))

    @functools.cached_property
    def names(self) -> frozenset[str]:
        """All names that the code reads, binds or deletes as such."""
        return frozenset({node.id for node in self.of_type(ast.Name)})

    @functools.cached_property
    def attributes(self) -> frozenset[str]:
        """All names of attributes that the code reads, binds or deletes."""
        return frozenset({node.attr for node in self.of_type(ast.Attribute)})

    def once(self, question: Callable[[Source], _Answer]) -> _Answer:
        """The answer to a question about the text alone, found once."""
        if question not in self._answers:
            self._answers[question] = question(self)
        return cast(_Answer, self._answers[question])

    # -- positions ---------------------------------------------------------------------------------

    def offset(self, line: int, column: int) -> int:
        """Turn an ``ast`` position (1-based line, column in UTF-8 bytes) into an offset.

        Raises ``ValueError`` where there is no such position.
        """
        if not 1 <= line <= len(self._line_starts):
            raise ValueError(f"no line {line} in {self.path}")
        start = self._line_starts[line - 1]
        column = column if self._is_ascii else self._character(line, column)
        if not 0 <= column <= self._line_length(line):
            raise ValueError(f"no column {column} on line {line} of {self.path}")
        return start + column

    def position(self, offset: int) -> tuple[int, int]:
        """Turn an offset into a 1-based line and a 1-based column, both counted in characters."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def place(self, offset: int) -> Place:
        """Where people find an offset: as `position`, but in the cell of a notebook."""
        line, column = self.position(offset)
        return self.placed(line, column)

    def placed(self, line: int, column: int = 1) -> Place:
        """Where people find a line and column of ``text``."""
        if self.notebook is None:
            return Place(line, column)
        return self.notebook.place(line, column)

    def line_name(self, line: int) -> str:
        """What a line of ``text`` is called in a sentence."""
        place = self.placed(line)
        return f"line {line}" if place.cell is None else f"cell {place.cell}, line {place.line}"

    def with_line_names(self, sentence: str) -> str:
        """``sentence``, which names lines of ``text`` by number, for people."""
        if self.notebook is None:
            return sentence
        return _LINE.sub(lambda match: self.line_name(int(match[1])), sentence)

    def mentions(self, *sentences: str) -> tuple[Mention, ...]:
        """The lines of ``text`` that ``sentences`` name by number, as written for people."""
        lines = {int(match[1]) for sentence in sentences for match in _LINE.finditer(sentence)}
        return tuple(
            Mention(self.line_name(line), self.path, self.offset(line, 0))
            for line in sorted(lines)
            if 1 <= line <= len(self._line_starts)
        )

    def error(self, line: int | None, reason: str) -> SourceError:
        """That something is wrong with a line of ``text``, or with all of it."""
        if line is None or self.notebook is None:
            return SourceError(self.path, line, reason)
        place = self.placed(line)
        return SourceError(self.path, place.line, reason, place.cell)

    def is_displayed(self, statement: ast.stmt) -> bool:
        """Whether a notebook shows the value of ``statement``: the last of a cell, no semicolon."""
        if self.notebook is None or not isinstance(statement, ast.Expr):
            return False
        return self.notebook.ends_cell(self.text, self.span(statement).end)

    def is_heading(self, line: int) -> bool:
        """Whether a line of ``text`` is none of the user's: it begins a cell."""
        return self.notebook is not None and self.notebook.is_ours(line)

    def line_of(self, error: SourceError) -> int | None:
        """The line of ``text`` that ``error``, which is about this file, names."""
        if error.line is None or error.cell is None or self.notebook is None:
            return error.line
        return self.notebook.line(error.cell, error.line)

    def line_text(self, line: int) -> str:
        """A 1-based line of ``text`` as the user wrote it, without white space around it."""
        start = self.offset(line, 0)
        return self.shown_line(self.text[start : self.line_end(start)]).strip()

    def shown_line(self, text: str) -> str:
        """What the user wrote where ``text`` is a line."""
        return text if self.notebook is None else self.notebook.shown(text)

    def line_start(self, offset: int) -> int:
        """The offset at which the physical line of ``offset`` begins."""
        return self._line_starts[bisect_right(self._line_starts, offset) - 1]

    def line_end(self, offset: int) -> int:
        """The offset just before the line end of the physical line of ``offset``."""
        line = bisect_right(self._line_starts, offset)
        return self._line_starts[line - 1] + self._line_length(line)

    def next_line(self, offset: int) -> int:
        """The offset at which the next physical line begins; the length of the text on the last."""
        line = bisect_right(self._line_starts, offset)
        return self._line_starts[line] if line < len(self._line_starts) else len(self.text)

    def span(self, node: ast.AST) -> Span:
        """Where a node is, without parentheses around it.

        A piece of an f-string that cannot be placed gets the span of the whole f-string (see
        ``is_editable``). Raises ``ValueError`` for nodes that have no position.
        """
        if id(node) in self._embedded.outer:
            known = self._embedded.spans.get(id(node))
            return known or self._own_span(self._embedded.outer[id(node)])
        return self._own_span(node)

    def segment(self, node: ast.AST) -> str:
        """The text of a node."""
        span = self.span(node)
        return self.text[span.start : span.end]

    def is_editable(self, node: ast.AST) -> bool:
        """Whether ``span(node)`` is the node itself and rewriting it changes nothing but its value.

        False for pieces of f-strings that could not be placed and for ``f"{x=}"``, which prints x's
        source.
        """
        if id(node) not in self._embedded.outer:
            return True
        return id(node) in self._embedded.spans and id(node) not in self._embedded.fixed

    def fstring_of(self, node: ast.AST) -> ast.JoinedStr | None:
        """The outermost f-string around a node, None outside of f-strings."""
        return self._embedded.outer.get(id(node))

    def parent(self, node: ast.AST) -> ast.AST | None:
        """The node that holds ``node``; None for the module, and for nodes of other files."""
        top, parents = node, Parents()
        while (above := parents.get(top) if self.nodes else None) is not None:
            top = above
        return parents.get(node) if top is self.tree else None

    def indent_of(self, stmt: ast.stmt) -> str:
        """The white space before a statement's physical line (that of its first decorator, if any).

        A form feed starts indentation anew, as it does for Python.
        """
        start = self.statement_span(stmt).start
        line = self.text[self.line_start(start) : start]
        blank = line[: len(line) - len(line.lstrip(" \t\f"))]
        return blank.rpartition("\f")[2]

    def statement_span(self, stmt: ast.stmt) -> Span:
        """Where a statement is, its decorators included."""
        span = self.span(stmt)
        decorators: list[ast.expr] = getattr(stmt, "decorator_list", [])
        if not decorators:
            return span
        return Span(self.text.rindex("@", 0, self.span(decorators[0]).start), span.end)

    # -- edits -------------------------------------------------------------------------------------

    def apply(self, edits: Iterable[Edit]) -> str:
        """Splice edits into the text and return the new text.

        Identical edits count once. At one offset insertions come before a replacement that starts
        there, ordered by rank, then as given. Raises ``ValueError`` where edits overlap or lie
        outside the text.
        """
        pieces: list[str] = []
        at = 0
        for edit in in_order(edits):
            if not at <= edit.start <= edit.end <= len(self.text):
                line, column = self.position(min(max(edit.start, 0), len(self.text)))
                raise ValueError(f"overlapping edits at {self.path}:{line}:{column}")
            pieces += (self.text[at : edit.start], edit.text)
            at = edit.end
        pieces.append(self.text[at:])
        return "".join(pieces)

    # -- comments ----------------------------------------------------------------------------------

    @functools.cached_property
    def comments(self) -> Mapping[int, Span]:
        """The comment on each 1-based physical line that has one."""
        return {
            line: Span(start, self.line_end(start))
            for line, column in _comment_positions(self.text)
            for start in [self._line_starts[line - 1] + column]
        }

    @functools.cached_property
    def suppressions(self) -> Suppressions:
        """What the comments of this file suppress."""
        if not may_suppress(self.text):
            return Suppressions(skip_file=False, by_line={})
        return read_suppressions(
            (line, self.text[span.start : span.end]) for line, span in self.comments.items()
        )

    # -- derived once ------------------------------------------------------------------------------

    @functools.cached_property
    def _answers(self) -> dict[object, object]:
        return {}

    @functools.cached_property
    def _by_type(self) -> Mapping[type[ast.AST], Sequence[ast.AST]]:
        found: defaultdict[type[ast.AST], list[ast.AST]] = defaultdict(list)
        for node in self.nodes:
            found[type(node)].append(node)
        return dict(found)

    @functools.cached_property
    def _is_ascii(self) -> bool:
        return self.text.isascii()

    @functools.cached_property
    def _line_starts(self) -> Sequence[int]:
        return [0, *(match.end() for match in LINE_END.finditer(self.text))]

    @functools.cached_property
    def _byte_columns(self) -> dict[int, list[int]]:
        """Byte column of every character of the lines that were asked for and are not ASCII."""
        return {}

    @functools.cached_property
    def _embedded(self) -> Embedded:
        if not _FSTRING.search(self.text):
            return Embedded({}, {}, frozenset())
        return embedded(self.of_type(ast.JoinedStr), self.text, self._own_span, _parse_nested)

    def _own_span(self, node: ast.AST) -> Span:
        if not isinstance(getattr(node, "lineno", None), int):
            raise ValueError(f"a {type(node).__name__} has no position")
        end_line: int | None = node.end_lineno  # type: ignore[attr-defined]
        end_column: int | None = node.end_col_offset  # type: ignore[attr-defined]
        if end_line is None or end_column is None:
            raise ValueError(f"a {type(node).__name__} without an end")
        start = self.offset(node.lineno, node.col_offset)  # type: ignore[attr-defined]
        return Span(start, self.offset(end_line, end_column))

    def _line_length(self, line: int) -> int:
        """The length of a 1-based line, in characters, without its line end."""
        start = self._line_starts[line - 1]
        if line == len(self._line_starts):
            return len(self.text) - start
        end = self._line_starts[line]
        ending = 2 if self.text.endswith("\r\n", start, end) else 1
        return end - ending - start

    def _character(self, line: int, column: int) -> int:
        """The index of the character at a byte column of a line."""
        columns = self._byte_columns.get(line)
        if columns is None:
            start = self._line_starts[line - 1]
            text = self.text[start : start + self._line_length(line)]
            sizes = (len(character.encode("utf-8", "surrogatepass")) for character in text)
            columns = self._byte_columns[line] = [0, *itertools.accumulate(sizes)]
        index = bisect_left(columns, column)
        if index == len(columns) or columns[index] != column:
            raise ValueError(f"no byte column {column} on line {line} of {self.path}")
        return index


def _parse_nested(text: str) -> Nested:
    """Parse an expression that stands in parentheses; positions count from the first one."""
    source = Source.from_text(text)
    try:
        statements = source.tree.body
    except SourceError as error:
        raise ValueError(error.reason) from None
    if len(statements) != 1 or not isinstance(statements[0], ast.Expr):
        raise ValueError("not one expression")
    return statements[0].value, source.span, source.is_editable


def _comment_positions(text: str) -> Iterable[tuple[int, int]]:
    """Give the line (from 1) and the column (from 0) of every comment.

    Behind what cannot be tokenised, in a text that does not parse, only of those that have their
    line for themselves.
    """
    # The pure Python tokenizer (up to 3.11) knows no lone carriage returns; columns do not change.
    text = LINE_END.sub("\n", text)
    line = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            line = token.end[0]
            if token.type == tokenize.COMMENT:
                yield token.start
    except (tokenize.TokenError, SyntaxError):
        for number, rest in enumerate(text.split("\n")[line:], start=line + 1):
            if rest.lstrip().startswith("#"):
                yield number, rest.index("#")
