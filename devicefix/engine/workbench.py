"""The work on one file, once it is known to mention torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from devicefix.codemod import Codemod
from devicefix.engine.analysis import Analyst
from devicefix.engine.groups import Policy
from devicefix.engine.registry import load_codemods
from devicefix.engine.report import Change, FileError, FileResult, Left
from devicefix.engine.selection import selected_codes
from devicefix.engine.settling import Settled, settle, survey
from devicefix.settings import Settings
from devicefix.source import Source

if TYPE_CHECKING:
    from devicefix.flow import FileFacts

Analyse = Callable[[Source], "FileFacts"]


@dataclass(frozen=True, slots=True)
class Workbench:
    """The codemods, and what the user wants of them."""

    analyst: Analyst
    policy: Policy

    def survey(self, source: Source) -> tuple[FileResult, tuple[FileError, ...]]:
        """What one look at ``source`` finds."""
        seen = survey(source, self.analyst, self.policy)
        return FileResult(source.path, seen.shown, (), seen.left()), ()

    def rehearse(self, source: Source) -> tuple[FileResult, tuple[FileError, ...]]:
        """What would be fixed; all positions are in the file as it is."""
        settled = settle(source, self.analyst, self.policy)
        relocated = settled.origins.relocated
        left = (Left(relocated(x.finding, source), x.reason) for x in settled.triage.left())
        return _result(source, settled, tuple(left)), _errors(source, settled)

    def mend(self, source: Source) -> tuple[FileResult, tuple[FileError, ...]]:
        """What is to be written; what is left has its positions in the new text."""
        settled = settle(source, self.analyst, self.policy)
        return _result(source, settled, settled.triage.left()), _errors(source, settled)


def open_workbench(
    settings: Settings, codemods: Sequence[type[Codemod]] | None, analyse: Analyse | None
) -> Workbench:
    """Load what is not given: the installed codemods, devicefix's own analysis.

    Raises `RegistryError` and `UnknownRuleError`.
    """
    if codemods is None:
        codemods = load_codemods()
    policy = Policy(selected_codes(settings, codemods), settings.unsafe_fixes)
    return Workbench(Analyst(codemods, settings, analyse or _own_analysis()), policy)


def _own_analysis() -> Analyse:
    from devicefix.flow import analyse

    return analyse


def _result(source: Source, settled: Settled, left: tuple[Left, ...]) -> FileResult:
    found = [*settled.applied, *(x.finding for x in left)]
    found.sort(key=lambda finding: (finding.span, finding.code))
    change = None
    if settled.source.text != source.text:
        before, after = source.encode(source.text), source.encode(settled.source.text)
        change = Change(before, after, source.encoding)
    return FileResult(source.path, tuple(found), settled.applied, left, change)


def _errors(source: Source, settled: Settled) -> tuple[FileError, ...]:
    return tuple(
        FileError(source.path, finding.line, f"{finding.code}: {reason}")
        for finding, reason in settled.dropped
    )
