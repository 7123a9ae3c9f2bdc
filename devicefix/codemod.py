"""The contract that codemods import: `Codemod`, `Context`, and where their docs come from.

A codemod lives alone in its file. The docstring of that file is its documentation: the first line
says in one sentence what is wrong; the sections after it start with a line ``## Title``.
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
    """What a codemod sees: one file, what is known of its values, the settings, what is around."""

    source: Source
    facts: FileFacts
    settings: Settings
    program: Program
    """For edits in other files; findings are about this one."""

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
        """Whether the file read ``name`` before the first fix, which may have taken its last use.

        False in the first look: what nothing uses there is no leftover of a fix.
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
    """One offence, one code; a new object is made for every file."""

    code: ClassVar[str]
    """Such as ``DFX103``."""
    name: ClassVar[str]
    """Such as ``tensor-left-on-host``."""
    local: ClassVar[bool] = False
    """Whether it needs nothing but the expression itself; then it also runs alone under libcst."""
    textual: ClassVar[bool] = False
    """Whether it needs the text and the imports of a file only, and no value of the program."""
    on_request: ClassVar[bool] = False
    """Whether it is left out unless ``select`` names it: what it finds is right, if not ideal."""
    only_reports: ClassVar[bool] = False
    """Whether it never brings a fix: what it finds always takes a decision."""
    ports: ClassVar[bool] = False
    """Whether it frees a program of CUDA: then it is not asked about one that needs CUDA."""
    extends: ClassVar[bool] = False
    """Whether it brings a program to accelerators other than CUDA: none of its fixes is safe as
    long as one is left without which the program stops there."""
    modernizes: ClassVar[bool] = False
    """Whether what it finds is right in an old torch: then it says nothing below a condition that
    asks for the version."""
    switch: ClassVar[str] = ""
    """The setting that turns it off when it is false."""

    @abc.abstractmethod
    def check(self, context: Context) -> Iterator[Finding]:
        """Yield what is wrong in one file; never prints, reads files or writes."""

    def tidy(self, context: Context) -> Iterator[Finding]:
        """Yield what fixes have left in one file that nothing uses any more.

        It is asked behind each round of early fixes, before anything is evaluated again: of the
        facts there are the imports only (``old_imports``). `check` yields the same.
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
    """A finding of ``codemod`` where there is no `Context`."""
    place = source.place(span.start)
    where = (source.path, span, place.line, place.column)
    return Finding(codemod.code, codemod.name, message, *where, fix, advice, place.cell)


class Conversion(Codemod):
    """An offence that keeps a file from being parsed: mended before anything else is looked at."""

    @abc.abstractmethod
    def convert(self, source: Source, program: Program) -> Iterator[Finding]:
        """Yield what makes of ``source``, which does not parse, a text that does or that the
        conversion with the next code can go on with; nothing where that is not its affair.

        All that one file needs is one group of safe fixes: it is converted as a whole. Raises
        `SourceError` where the file should be of its kind and is broken.
        """

    def accompany(self, program: Program, converted: frozenset[str]) -> Iterator[Finding]:
        """Yield what files of ``program`` need that parse, because those at ``converted`` did not.

        ``program`` is as the user wrote it. The fixes of a file are one group, as of `convert`.
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
    """A comment that keeps rules away from a place where they find nothing."""

    span: Span
    """Of all of the comment, in the text."""
    codes: tuple[str, ...]
    """What it names in vain, in capitals; empty where it names no rule."""
    unknown: tuple[str, ...] = ()
    """Those of ``codes`` that no rule has or begins with."""
    meant: str = ""
    """What the comment may have been meant to say, where it says nothing that is known."""


class Afterthought(Codemod):
    """A rule about what the other rules have found, or have not."""

    @abc.abstractmethod
    def reconsider(self, source: Source, idle: Iterable[Idle]) -> Iterator[Finding]:
        """Yield what is wrong with the comments that were not needed."""

    def check(self, context: Context) -> Iterator[Finding]:
        """Yield nothing: the others come first."""
        return iter(())


class RuleDocs(Struct, frozen=True):
    """The documentation of a rule, as its file's docstring holds it (Markdown)."""

    summary: str
    sections: tuple[tuple[str, str], ...]
    """Title and body, in the order of the docstring."""


def documentation(codemod: type[Codemod]) -> RuleDocs:
    """The docstring of the file that defines ``codemod``, taken apart."""
    text = inspect.cleandoc(sys.modules[codemod.__module__].__doc__ or "")
    head, *rest = _HEADING.split(text)
    titles, bodies = rest[::2], rest[1::2]
    summary = head.strip().split("\n", 1)[0]
    return RuleDocs(summary, tuple(zip(titles, (b.strip() for b in bodies), strict=True)))
