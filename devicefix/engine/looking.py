"""One look at the program around a file, for who shows it while it is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from devicefix.engine.checks import Inspector
from devicefix.engine.choice import Choice
from devicefix.engine.groups import UNSAFE, Group, Triage, levelled
from devicefix.engine.interpreter import at_work
from devicefix.engine.preparing import Prepared
from devicefix.engine.projects import Plan
from devicefix.engine.report import FileError, Left, Outcome
from devicefix.engine.work import Work, bounded, complaint, loaded, one_program
from devicefix.findings import Applicability, Edit, Finding
from devicefix.source import Program, Source, SourceError
from devicefix.time_limit import TimeExceededError

if TYPE_CHECKING:
    from devicefix.engine.workbench import Workbench


class Offer(Struct, frozen=True):
    """A group of fixes that may be made by itself, as the files are now."""

    findings: tuple[Finding, ...]
    """What it fixes."""
    applicability: Applicability
    edits: Mapping[str, tuple[Edit, ...]]
    """By file, in the text that it was read with."""
    reason: str = ""
    """Why it is not safe, where it is not."""


class Look(Struct, frozen=True, eq=False):
    """What is found in the files of one program, and what may be done about it."""

    sources: Mapping[str, Source] = field(default_factory=dict)
    """The files as they were read, also those that do not parse."""
    findings: tuple[Finding, ...] = ()
    left: tuple[Left, ...] = ()
    """Those that `apply` leaves, and why."""
    offers: tuple[Offer, ...] = ()
    errors: tuple[FileError, ...] = ()

    _answers: dict[tuple[str, frozenset[Edit]], Source | SourceError] = field(default_factory=dict)
    """Of `with_edits`; which files and edits it was is in the key."""
    _inspectors: dict[str, Inspector] = field(default_factory=dict)

    def with_edits(self, path: str, edits: Iterable[Edit]) -> Source:
        """A file with ``edits``. Raises `SourceError` where it must not stand."""
        key = path, frozenset(edits)
        if key not in self._answers:
            try:
                self._answers[key] = self._edited(path, key[1])
            except SourceError as error:
                self._answers[key] = error
        answer = self._answers[key]
        if isinstance(answer, SourceError):
            raise answer
        return answer

    def warm_up(self, path: str) -> None:
        """Find out about a file what each `with_edits` of it has to know."""
        if path in self.sources and any(path in offer.edits for offer in self.offers):
            self._inspectors.setdefault(path, Inspector(self.sources[path])).warm_up()

    def _edited(self, path: str, edits: Iterable[Edit]) -> Source:
        source = self.sources[path]
        try:
            _ = source.tree
        except SourceError:  # there is nothing to compare with: it has to parse
            new = Source.from_bytes(source.encode(source.apply(edits)), path)
            _ = new.tree
            return new
        inspector = self._inspectors.setdefault(path, Inspector(source))
        return inspector.edited(source, edits)


def look(plan: Plan, bench: Workbench) -> Look:
    """What one look at the program of ``plan`` finds; a bug of ours is an error of its files."""
    sources, errors = loaded(plan)
    with at_work():
        try:
            seen = _looked(plan.program(sources, bench.analyst.settings), plan, bench)
        except TimeExceededError as error:
            seen = Look(errors=(FileError.unfinished(plan.paths, str(error)),))
        except Exception as error:  # as in `check`: it is told, not thrown
            seen = _apart(sources, plan, bench, error)
    return replace(
        seen,
        sources={source.path: source for source in sources},
        errors=(*errors, *seen.errors),
    )


def mended(plan: Plan, bench: Workbench, path: str) -> Outcome:
    """What becomes of the program of ``plan`` by all safe groups that have a finding in ``path``.

    Nothing is written.
    """
    bench = replace(bench, choice=Choice(only=frozenset((path,)), why="is about other files"))
    with at_work():
        return one_program(plan, bench, Work.REHEARSE)


def _apart(sources: Iterable[Source], plan: Plan, bench: Workbench, error: Exception) -> Look:
    """What is found in each file alone, where they cannot be looked at together."""
    looks: list[Look] = []
    errors: list[FileError] = []
    for source in sources:
        try:
            looks.append(_looked(plan.program([source], bench.analyst.settings), plan, bench))
        except Exception as again:
            errors.append(complaint(source.path, again))
    if not looks and not errors:
        errors.append(complaint(plan.paths[0], error))
    return Look(
        findings=tuple(finding for seen in looks for finding in seen.findings),
        left=tuple(left for seen in looks for left in seen.left),
        offers=tuple(offer for seen in looks for offer in seen.offers),
        errors=(*errors, *(error for seen in looks for error in seen.errors)),
    )


def _looked(program: Program, plan: Plan, bench: Workbench) -> Look:
    from devicefix.engine.workbench import unfinished

    seen = bounded(lambda: bench.look(program), bench.analyst.settings)
    told = frozenset(seen.findings)
    offers = (*_conversions(seen.prepared, program), *_groups(seen.triage, seen.prepared))
    unparsed = (error for error in seen.prepared.unparsed if error.path in plan.about_torch)
    return Look(
        findings=seen.findings,
        left=seen.left,
        offers=tuple(offer for offer in offers if not told.isdisjoint(offer.findings)),
        errors=(*unfinished(program, seen.triage), *unparsed),
    )


def _groups(seen: Triage, prepared: Prepared) -> Iterator[Offer]:
    """The groups that may be applied, and those that are only unsafe.

    One in a file that has to be converted first waits for that: its edits are of another text.
    """
    for key, group in seen.groups.items():
        fit = seen.obstacles.get(key) in (None, UNSAFE)
        if fit and not any(map(prepared.places.rounds, group.files)):
            yield _offer(group)


def _offer(group: Group) -> Offer:
    sure = group.applicability
    return Offer(
        tuple(levelled(member, group) for member in group.members),
        sure,
        group.edits,
        group.weakest.advice if sure is not Applicability.SAFE else "",
    )


def _conversions(prepared: Prepared, program: Program) -> Iterator[Offer]:
    """What makes files parse; a file is converted as a whole."""
    by_file: dict[str, list[Finding]] = {}
    for made in prepared.made:
        for finding in made.findings:
            by_file.setdefault(finding.path, []).append(finding)
    for path, findings in by_file.items():
        old, new = program.sources[path], prepared.program.sources.get(path)
        if new is not None:
            edits = tuple(differences(old.text, new.text))
            yield Offer(tuple(findings), Applicability.SAFE, {path: edits})


def differences(old: str, new: str) -> Iterator[Edit]:
    """Edits of whole lines that make ``new`` of ``old``."""
    import difflib

    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    starts = [0]
    for line in before:
        starts.append(starts[-1] + len(line))
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, start, end, first, last in matcher.get_opcodes():
        if tag != "equal":
            yield Edit(starts[start], starts[end], 0, "".join(after[first:last]))
