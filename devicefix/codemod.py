"""The interface of rules: `Codemod`, `Context`, and their documentation.

Each codemod has a file of its own, whose docstring is its documentation: the first line says in
one sentence what is wrong; each section after it begins with a line ``## Title``.
"""

from __future__ import annotations

import abc
import ast
import inspect
import re
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, ClassVar, Final

from msgspec import Struct

from devicefix.findings import Finding, Fix, Mention, Span

if TYPE_CHECKING:
    from devicefix.flow import FileFacts
    from devicefix.settings import Settings
    from devicefix.source import Program, Source

_HEADING: Final = re.compile(r"^## +(.+?) *$", re.MULTILINE)


class Context(Struct, frozen=True):
    """What a codemod gets: one file, the facts about its values, the settings, and the program."""

    source: Source
    facts: FileFacts
    settings: Settings
    program: Program
    """All files analysed together. Fixes may edit them; findings are in this file only."""

    def finding(
        self,
        codemod: Codemod,
        where: ast.AST | Span,
        message: str,
        fix: Fix | None = None,
        advice: str = "",
    ) -> Finding:
        """A finding of ``codemod`` at a node or a span of this file."""
        span = where if isinstance(where, Span) else self.source.span(where)
        place = self.source.place(span.start)
        return Finding(
            code=codemod.code,
            rule=codemod.name,
            message=self.source.with_line_names(message),
            path=self.source.path,
            span=span,
            line=place.line,
            column=place.column,
            fix=fix,
            advice=self.source.with_line_names(advice),
            cell=place.cell,
            mentions=self.source.mentions(message, advice) + self._elsewhere(advice),
        )

    def was_read(self, name: str) -> bool:
        """Whether the file read ``name`` before the first fix, which may have removed its last use.

        False in the first round: a name that is unused there was not made unused by a fix.
        """
        first = self.program.first.get(self.source.path)
        names = first.of_type(ast.Name) if first is not None and name in first.names else ()
        return any(node.id == name and isinstance(node.ctx, ast.Load) for node in names)

    def _elsewhere(self, sentence: str) -> tuple[Mention, ...]:
        """The lines of other files that ``sentence`` names."""
        return tuple(
            Mention(match[0], path, source.offset(int(match[1]), 0))
            for path, source in self.program.sources.items()
            if f"{path}:" in sentence
            for match in re.finditer(rf"(?<![\w/.\\-]){re.escape(path)}:(\d+)", sentence)
        )


class Codemod(abc.ABC):
    """A rule: one problem, one code. A new object is created for every file."""

    code: ClassVar[str]
    """Such as ``DFX103``."""
    name: ClassVar[str]
    """Such as ``factory-without-device``."""
    local: ClassVar[bool] = False
    """Whether it needs only the expression itself; then it also runs as a libcst command."""
    textual: ClassVar[bool] = False
    """Whether it needs only the text and the imports of a file, and no inferred values."""
    on_request: ClassVar[bool] = False
    """Whether it runs only if ``select`` names it, because the code that it finds is correct."""
    only_reports: ClassVar[bool] = False
    """Whether it never has a fix: its findings always need a decision."""
    ports: ClassVar[bool] = False
    """Whether it removes uses of CUDA: it is skipped for programs that need CUDA."""
    extends: ClassVar[bool] = False
    """Whether it makes a program run on accelerators other than CUDA: its fixes are not safe as
    long as a fix that the program needs there is not made."""
    modernizes: ClassVar[bool] = False
    """Whether the code that it finds is correct in an old torch: it reports nothing under a
    condition on the version."""
    switch: ClassVar[str] = ""
    """The setting that turns it off when it is false."""

    @abc.abstractmethod
    def check(self, context: Context) -> Iterator[Finding]:
        """Yield the findings in one file. Must not print, and not read or write files."""

    def tidy(self, context: Context) -> Iterator[Finding]:
        """Yield findings about code in one file that fixes have made unused.

        Called after each round of early fixes, before the program is analysed again: the facts
        have the imports only (``old_imports``). `check` yields the same findings.
        """
        return iter(())


def finding_at(
    codemod: Codemod,
    source: Source,
    span: Span,
    message: str,
    fix: Fix | None = None,
    advice: str = "",
) -> Finding:
    """A finding of ``codemod`` if there is no `Context`."""
    place = source.place(span.start)
    where = (source.path, span, place.line, place.column)
    return Finding(codemod.code, codemod.name, message, *where, fix, advice, place.cell)


class Conversion(Codemod):
    """A rule for files that do not parse. It runs before all other rules."""

    @abc.abstractmethod
    def convert(self, source: Source, program: Program) -> Iterator[Finding]:
        """Yield fixes after which ``source`` parses, or can be converted further by the conversion
        with the next code; nothing if the file is not of its kind.

        All fixes of a file are safe and in one group, so that it is converted as a whole. Raises
        `SourceError` if the file is of its kind but broken.
        """

    def accompany(self, program: Program, converted: frozenset[str]) -> Iterator[Finding]:
        """Yield the fixes that other files of ``program`` need because those at ``converted`` are
        converted.

        ``program`` is as the user wrote it. The fixes of a file are one group, as in `convert`.
        """
        return iter(())

    def check(self, context: Context) -> Iterator[Finding]:
        """Yield nothing: the file parses."""
        return iter(())

    def finding(
        self, source: Source, span: Span, message: str, fix: Fix | None = None, advice: str = ""
    ) -> Finding:
        """A finding at ``span`` of a text that does not parse; one without a fix is reported."""
        return finding_at(self, source, span, message, fix, advice)


class Idle(Struct, frozen=True):
    """A comment that suppresses nothing."""

    span: Span
    """The whole comment."""
    codes: tuple[str, ...]
    """The codes in it that suppress nothing, in capitals; empty if it names no codes."""
    unknown: tuple[str, ...] = ()
    """Those of ``codes`` that are neither the code nor the prefix of a rule."""
    meant: str = ""
    """For a misspelled comment: what was probably meant."""


class Afterthought(Codemod):
    """A rule about the findings of the other rules. It runs after them."""

    @abc.abstractmethod
    def reconsider(self, source: Source, idle: Iterable[Idle]) -> Iterator[Finding]:
        """Yield findings about comments that suppress nothing."""

    def check(self, context: Context) -> Iterator[Finding]:
        """Yield nothing: the other rules run first."""
        return iter(())


class RuleDocs(Struct, frozen=True):
    """The documentation of a rule in Markdown, from the docstring of its file."""

    summary: str
    sections: tuple[tuple[str, str], ...]
    """Title and body, in the order of the docstring."""


def documentation(codemod: type[Codemod]) -> RuleDocs:
    """The parsed docstring of the file that defines ``codemod``."""
    text = inspect.cleandoc(sys.modules[codemod.__module__].__doc__ or "")
    head, *rest = _HEADING.split(text)
    titles, bodies = rest[::2], rest[1::2]
    summary = head.strip().split("\n", 1)[0]
    return RuleDocs(summary, tuple(zip(titles, (b.strip() for b in bodies), strict=True)))
