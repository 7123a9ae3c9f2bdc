"""The work on one program, once it is known to mention torch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from devicefix.codemod import Codemod
from devicefix.engine.analysis import Analyse, Analyst, Recalling
from devicefix.engine.applied import applied_group
from devicefix.engine.choice import ALL_BUT_UNSAFE, Choice
from devicefix.engine.components import components
from devicefix.engine.groups import Group, Policy, Triage
from devicefix.engine.made import identity_of
from devicefix.engine.notebook_files import finished
from devicefix.engine.origins import Places
from devicefix.engine.preparing import Prepared, prepare
from devicefix.engine.registry import load_codemods
from devicefix.engine.remaining import remaining
from devicefix.engine.report import (
    Change,
    FileError,
    FileFailedError,
    FileResult,
    Left,
    Outcome,
    Remaining,
)
from devicefix.engine.scope import EVERYTHING, Scope, View
from devicefix.engine.selection import selected_codes
from devicefix.engine.settling import Settled, settle, survey
from devicefix.findings import Applicability, Finding, Span
from devicefix.settings import Settings
from devicefix.source import Program, Source

if TYPE_CHECKING:
    from devicefix.flow.explanation import Explainer

_NOT_CONVERTED: Final = "the file is Python 2, and converting it is not part of this run"


class FirstLook(Struct, frozen=True):
    """What one look at a program finds; places are in its files as they are."""

    prepared: Prepared
    triage: Triage
    """Of the texts that parse."""
    findings: tuple[Finding, ...]
    left: tuple[Left, ...]
    view: View

    def remaining(self) -> dict[str, tuple[Remaining, ...]]:
        """By file the uses of CUDA that `apply` would not fix."""
        prepared = self.prepared
        return remaining(self.triage, prepared.program.sources, prepared.places, now=False)


class Workbench(Struct, frozen=True):
    """The codemods, and what the user wants of them."""

    analyst: Analyst
    policy: Policy
    choice: Choice = ALL_BUT_UNSAFE
    textual: bool = False
    """Whether nothing is evaluated: uses of CUDA are not counted then."""

    def survey(self, program: Program) -> Outcome:
        """What one look at ``program`` finds."""
        seen = self.look(program, judged=True)
        found = sorted(seen.findings, key=_place)
        uses = seen.remaining()
        results = (
            FileResult(
                path,
                _of(path, found),
                (),
                _left_in(path, seen.left),
                remaining=uses.get(path, ()),
                counted=_is_counted(source, seen.prepared),
            )
            for path, source in program.sources.items()
        )
        recognised = seen.view.found_entries(found)
        missing = unfinished(program, seen.triage)
        return Outcome(tuple(results), missing, (), seen.prepared.unparsed, recognised)

    def look(self, program: Program, *, judged: bool = False) -> FirstLook:
        """One look at ``program``, with what may be done about it.

        ``judged``: fixes count as safe only if the judge accepts the program that they make.
        """
        everything = replace(self, policy=replace(self.policy, scope=EVERYTHING))
        prepared = everything.prepare(program)
        view = View(self.policy.scope)
        view.recognise(_first_findings(prepared), Places(program.sources))
        analyst = Recalling.of(self.analyst)
        seen = survey(prepared.program, analyst, self.policy, view, prepared.places)
        if judged:
            seen = self._doubting(seen, prepared, analyst)
        relocated = prepared.places.relocated
        converted, noted = _in_scope(prepared, view, Places(program.sources))
        findings = (*converted, *(x.finding for x in noted), *map(relocated, seen.shown))
        left = (*noted, *seen.left(relocated))
        return FirstLook(prepared, seen, findings, left, view)

    def _doubting(self, seen: Triage, prepared: Prepared, analyst: Analyst) -> Triage:
        """``seen``, in which what the judge does not accept is unsafe."""
        if not any(group.applicability is Applicability.SAFE for group in seen.ready):
            return seen
        with suppress(FileFailedError):
            known = Recalling.of(analyst)
            unproven = settle(prepared, known, self.policy, self.choice).unproven
            groups = ((group, identity_of(group, prepared.places)) for group in seen.ready)
            found = ((g.key, next((u for u in unproven if u & its), None)) for g, its in groups)
            return seen.doubting({key: unproven[u] for key, u in found if u is not None})
        return seen

    def explainer(self, prepared: Prepared) -> tuple[Explainer, Triage]:
        """What is believed about any line, and what one look finds, as sure as `check` says.

        All files of its program parse (`prepare`).
        """
        from devicefix.flow.explanation import Explainer

        program, analyse = prepared.program, self.analyst.analyse
        explainer = Explainer(program)
        analyst = replace(
            self.analyst, analyse=lambda p: explainer.facts if p is program else analyse(p)
        )
        return explainer, self._doubting(survey(program, analyst, self.policy), prepared, analyst)

    def rehearse(self, program: Program) -> Outcome:
        """What would be fixed; all positions are in the files as they are."""
        prepared = self.prepare(program)
        settled = self._settle(prepared)
        relocated = settled.places.relocated
        left = settled.triage.left(relocated)
        left = (*prepared.left, *self._skipped(program, prepared), *left)
        return self._finished(_outcome(program, settled, left, prepared, now=False))

    def mend(self, program: Program) -> Outcome:
        """What is to be written; what is left has its positions in the new texts."""
        prepared = self.prepare(program)
        settled = self._settle(prepared)
        noted = prepared.left_in(settled.places, settled.sources)
        relocated = settled.places.relocated
        last = (replace(x, first=relocated(x.finding)) for x in settled.triage.left())
        left = (*noted, *self._skipped(program, prepared), *last)
        return self._finished(_outcome(program, settled, left, prepared, now=True))

    def prepare(self, program: Program) -> Prepared:
        """``program`` without the files that are not to be changed, the others as they parse."""
        return prepare(_changeable(program), self.analyst.codemods, self.policy, self.choice)

    def _skipped(self, program: Program, prepared: Prepared) -> Iterator[Left]:
        """What the run is about in files that do not parse and are no part of it themselves."""
        if prepared.skipped:
            for result in self.survey(program).results:
                if result.path in prepared.skipped:
                    yield from (Left(finding, _NOT_CONVERTED) for finding in result.findings)

    def _finished(self, outcome: Outcome) -> Outcome:
        return finished(outcome, self.analyst.settings.clear_outputs)

    def _settle(self, prepared: Prepared) -> Settled:
        return settle(prepared, Recalling.of(self.analyst), self.policy, self.choice)


def open_workbench(
    settings: Settings,
    codemods: Sequence[type[Codemod]] | None,
    analyse: Analyse | None,
    choice: Choice = ALL_BUT_UNSAFE,
    scope: Scope = EVERYTHING,
    *,
    counting: bool = True,
) -> Workbench:
    """Load what is not given: the installed codemods, devicefix's own analysis.

    Unless it is ``counting`` uses of CUDA, nothing is evaluated where no selected rule needs it.
    Raises `RegistryError` and `UnknownRuleError`.
    """
    if codemods is None:
        codemods = load_codemods()
    selected = selected_codes(settings, codemods)
    on_request = frozenset(codemod.code for codemod in codemods if codemod.on_request)
    policy = Policy(selected, settings.unsafe_fixes, scope, on_request)
    chosen = [codemod for codemod in codemods if codemod.code in selected]
    if analyse is None and not counting and all(codemod.textual for codemod in chosen):
        from devicefix.flow.evaluated import imports_alone

        return Workbench(Analyst(chosen, settings, imports_alone), policy, choice, textual=True)
    return Workbench(Analyst(codemods, settings, analyse or _own_analysis()), policy, choice)


def _own_analysis() -> Analyse:
    from devicefix.flow import analyse_program

    return analyse_program


def _changeable(program: Program) -> Program:
    """``program`` without the files that ask to be left alone; they become neighbours."""
    sources = program.sources.items()
    return replace(program, sources={p: s for p, s in sources if not s.suppressions.skip_file})


def _first_findings(prepared: Prepared) -> list[Finding]:
    """What was found before the first look at texts that parse."""
    return [*prepared.findings, *(x.finding for x in prepared.left)]


def _in_scope(
    prepared: Prepared, view: View, places: Places
) -> tuple[list[Finding], tuple[Left, ...]]:
    """What was converted, a file as a whole, and what was noted on the way, as far as it counts."""
    outside = view.outside(_first_findings(prepared), places)
    made = (m.findings for m in prepared.made if not outside.issuperset(m.findings))
    noted = tuple(x for x in prepared.left if x.finding not in outside)
    return [finding for findings in made for finding in findings], noted


def _of(path: str, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(finding for finding in findings if finding.path == path)


def _left_in(path: str, left: Iterable[Left]) -> tuple[Left, ...]:
    return tuple(x for x in left if x.finding.path == path)


def _place(finding: Finding) -> tuple[str, Span, str]:
    return finding.path, finding.span, finding.code


def _outcome(
    program: Program, settled: Settled, left: tuple[Left, ...], prepared: Prepared, *, now: bool
) -> Outcome:
    partners = _partners(settled)
    uses = remaining(settled.triage, settled.sources, settled.places, now=now)
    results = (
        replace(
            _result(source, settled, _left_in(path, left), partners.get(path, frozenset())),
            remaining=uses.get(path, ()),
            counted=_is_counted(source, prepared),
        )
        for path, source in program.sources.items()
    )
    errors = (
        FileError(finding.path, finding.line, f"{finding.code}: {reason}", finding.cell)
        for finding, reason in settled.dropped
    )
    groups = (applied_group(made, settled) for made in settled.made)
    missing = unfinished(program, settled.triage)
    return Outcome(tuple(results), (*missing, *errors), tuple(groups), prepared.unparsed)


def _is_counted(source: Source, prepared: Prepared) -> bool:
    """Whether the uses of CUDA in a file are known: it was looked at, or has none."""
    words = ("cuda", "gpu", "nccl")
    return source.path in prepared.program.sources or not any(w in source.text for w in words)


def unfinished(program: Program, seen: Triage) -> tuple[FileError, ...]:
    """What is told where the analysis of ``program`` did not come to its end."""
    return tuple(FileError.unfinished(tuple(program.sources), why) for why in seen.limits)


def _result(
    source: Source, settled: Settled, left: tuple[Left, ...], partners: frozenset[str]
) -> FileResult:
    path, applied = source.path, _of(source.path, settled.applied)
    found = [*applied, *(x.finding for x in left)]
    found.sort(key=lambda finding: (finding.span, finding.code))
    change = None
    new = settled.sources.get(path, source)
    if new.text != source.text:
        before, after = source.encode(source.text), source.encode(new.text)
        codes = frozenset(m.code for g in _groups(settled) if path in g.edits for m in g.members)
        change = Change(before, after, source.encoding, codes, partners)
    return FileResult(path, tuple(found), applied, left, change)


def _groups(settled: Settled) -> tuple[Group, ...]:
    return tuple(made.group for made in settled.made)


def _partners(settled: Settled) -> dict[str, frozenset[str]]:
    """The files that share a fix, directly or through others; by each of them."""
    links = ((min(group.edits), path) for group in _groups(settled) for path in group.edits)
    return {
        path: frozenset(together) - {path}
        for together in components(settled.sources, links)
        for path in together
    }
