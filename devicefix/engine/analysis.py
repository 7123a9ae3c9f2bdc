"""One look at one text: what all codemods find in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from devicefix.codemod import Codemod, Context
from devicefix.findings import Finding
from devicefix.settings import Settings
from devicefix.source import Source

if TYPE_CHECKING:
    from devicefix.flow import FileFacts


@dataclass(frozen=True, slots=True)
class Analyst:
    """The codemods and what they need to know of a file."""

    codemods: Sequence[type[Codemod]]
    settings: Settings
    analyse: Callable[[Source], FileFacts]

    def look(self, source: Source) -> tuple[Finding, ...]:
        """The findings of all codemods, selected or not, in the order of the text.

        Raises `SourceError` where the text does not parse, and whatever goes wrong in a codemod.
        """
        if source.suppressions.skip_file:
            return ()
        found = set(self._findings(source))
        return tuple(sorted(found, key=lambda f: (f.span, f.code, f.message)))

    def _findings(self, source: Source) -> Iterator[Finding]:
        _ = source.tree  # syntax errors come before anything else
        context = Context(source, self.analyse(source), self.settings)
        for codemod in self.codemods:
            yield from codemod().check(context)
