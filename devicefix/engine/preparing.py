"""Making texts that parse of files that do not, before anything else is looked at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from devicefix.codemod import Codemod, Conversion
from devicefix.engine.choice import ALL_BUT_UNSAFE, Choice
from devicefix.engine.groups import OUT_OF_SCOPE, UNSAFE, Group, Policy, Triage, triage
from devicefix.engine.made import Made, identity_of
from devicefix.engine.origins import Places
from devicefix.engine.report import FileError, Left
from devicefix.engine.scope import View
from devicefix.findings import Finding, Span
from devicefix.source import Program, Source, SourceError, TooDeepError
from devicefix.time_limit import check_time


class Prepared(Struct, frozen=True):
    """A program whose files all parse, and how it came to be one."""

    program: Program
    places: Places
    """Where things were in the files as the user wrote them."""
    made: tuple[Made, ...] = ()
    """The conversions, in the order in which they were made."""
    unparsed: tuple[FileError, ...] = ()
    """The files that nothing could be made of; they are not in ``program``."""
    left: tuple[Left, ...] = ()
    """What a person has to look at in files that were converted, at its place in them as they were.

    Nobody finds it again: it does not show in the text that parses.
    """
    skipped: frozenset[str] = frozenset()
    """Files that could be converted, but are no part of this run; they are not in ``program``."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was converted, at its place in the files as they were."""
        return tuple(finding for made in self.made for finding in made.findings)

    def left_in(self, places: Places, sources: Mapping[str, Source]) -> tuple[Left, ...]:
        """What is `left`, at its place in the files as they are after all rounds."""
        return tuple(
            replace(
                left,
                finding=_now(left.finding, places, sources[left.finding.path]),
                first=left.finding,
            )
            for left in self.left
        )


def _now(finding: Finding, places: Places, source: Source) -> Finding:
    start = places.now(finding.path, finding.span.start)
    end = max(start, places.now(finding.path, finding.span.end))
    place = source.place(start)
    return replace(
        finding, span=Span(start, end), line=place.line, column=place.column, cell=place.cell
    )


def prepare(
    program: Program,
    codemods: Iterable[type[Codemod]],
    policy: Policy,
    choice: Choice = ALL_BUT_UNSAFE,
) -> Prepared:
    """Convert what does not parse, as far as ``policy`` and ``choice`` allow it.

    A file is converted as a whole or left as it is.
    """
    conversions = [c for c in codemods if issubclass(c, Conversion) and c.code in policy.selected]
    prepared = Prepared(program, Places(program.sources))
    tools = _Tools(program, conversions, policy, choice)
    for source in program.sources.values():
        broken = _broken(source)
        if broken is None:
            continue
        try:
            if isinstance(broken, TooDeepError):
                raise broken
            prepared = _converted(prepared, source, tools)
        except _OutOfScopeError:
            prepared = _skipping(prepared, source.path)
        except SourceError as error:
            prepared = _without(prepared, source.path, error)
    for conversion in conversions:
        prepared = _accompanied(prepared, conversion, tools)
    return prepared


class _OutOfScopeError(SourceError):
    """A file that could be converted, which is not what this run is about."""


class _Tools(Struct, frozen=True):
    program: Program
    """As the user wrote it: what a file is depends on what the others were, in any order."""
    conversions: Sequence[type[Conversion]]
    policy: Policy
    choice: Choice


def _broken(source: Source) -> SourceError | None:
    """Why ``source`` does not parse."""
    try:
        _ = source.tree
    except SourceError as error:
        return error
    return None


def _converted(prepared: Prepared, source: Source, tools: _Tools) -> Prepared:
    """``prepared`` with ``source`` as it parses. Raises `SourceError` where it never does."""
    why: SourceError | None = None
    for conversion in tools.conversions:
        check_time()
        try:
            findings = tuple(conversion().convert(source, tools.program))
        except SourceError as error:
            why = why or error
            continue
        prepared = _noted(prepared, findings, source, tools)
        for group in _allowed(findings, source, prepared.places, tools):
            prepared, source = _applied(prepared, source, group)
        if _broken(source) is None:
            return prepared
    if why is not None:
        raise why
    _ = source.tree
    return prepared


def _accompanied(prepared: Prepared, conversion: type[Conversion], tools: _Tools) -> Prepared:
    """``prepared`` with what its conversions make necessary in files that always parsed."""
    converted = frozenset(f.path for f in prepared.findings if f.code == conversion.code)
    if not converted:
        return prepared
    by_file: dict[str, list[Finding]] = {}
    for finding in conversion().accompany(tools.program, converted):
        by_file.setdefault(finding.path, []).append(finding)
    for path, findings in by_file.items():
        source = prepared.program.sources[path]
        try:
            groups = list(_allowed(findings, source, prepared.places, tools))
        except SourceError:
            continue  # it parses as it is
        prepared = _noted(prepared, findings, source, tools)
        for group in groups:
            prepared, source = _applied(prepared, source, group)
    return prepared


def _noted(
    prepared: Prepared, findings: Sequence[Finding], source: Source, tools: _Tools
) -> Prepared:
    """``prepared`` with what ``findings`` have no fix for."""
    seen = _triage(findings, source, prepared.places, tools.policy)
    relocated = prepared.places.relocated
    left = (Left(relocated(x.finding), x.reason) for x in seen.left() if x.finding.fix is None)
    return replace(prepared, left=(*prepared.left, *left))


def _triage(findings: Sequence[Finding], source: Source, places: Places, policy: Policy) -> Triage:
    suppressed = _suppressed(findings, source)
    heard = [finding for finding in findings if policy.shows(finding, suppressed)]
    outside = View(policy.scope).outside(heard, places)
    return triage(findings, suppressed, policy, outside=outside)


def _suppressed(findings: Iterable[Finding], source: Source) -> frozenset[Finding]:
    lines = source.suppressions
    at = {f: source.position(f.span.start)[0] for f in findings}
    return frozenset(f for f in findings if lines.covers(f.code, at[f], at[f]))


def _allowed(
    findings: Sequence[Finding], source: Source, places: Places, tools: _Tools
) -> Iterator[Group]:
    """The groups of ``findings`` that may be applied. Raises `SourceError` for one that may not."""
    seen = _triage(findings, source, places, tools.policy)
    for key, group in seen.groups.items():
        identity, obstacle = identity_of(group, places), seen.obstacles.get(key)
        if tools.choice.leaves_out(identity):
            obstacle = tools.choice.why
        elif obstacle == UNSAFE and tools.choice.trusts(identity):
            obstacle = None
        if obstacle == OUT_OF_SCOPE:
            raise _OutOfScopeError(source.path, None, obstacle)
        if obstacle is not None:
            finding = group.members[0]
            reason = f"{finding.code} would convert it: {obstacle}"
            text = f"{finding.message}; {reason}"
            raise SourceError(source.path, finding.line, text, finding.cell)
        yield group


def _applied(prepared: Prepared, source: Source, group: Group) -> tuple[Prepared, Source]:
    """Both after one more round. Raises `SourceError` where the edits do not go together."""
    edits = group.edits[source.path]
    try:
        text = source.apply(edits)
    except ValueError as error:
        reason = f"the edits of {group.members[0].code} conflict: {error}"
        raise SourceError(source.path, None, reason) from error
    new = Source.from_bytes(source.encode(text), source.path)
    program = prepared.program
    prepared = replace(
        prepared,
        program=replace(
            program,
            sources={**program.sources, source.path: new},
            revived=program.revived | {source.path},
        ),
        places=prepared.places.after({source.path: edits}),
        made=(*prepared.made, Made.of(group, prepared.places)),
    )
    return prepared, new


def _without(prepared: Prepared, path: str, error: SourceError) -> Prepared:
    """``prepared`` without a file, for which ``error`` says why."""
    unparsed = (*prepared.unparsed, FileError.of(error, path))
    return replace(prepared, program=_program_without(prepared, path), unparsed=unparsed)


def _skipping(prepared: Prepared, path: str) -> Prepared:
    """``prepared`` without a file that is no part of the run."""
    skipped = prepared.skipped | {path}
    return replace(prepared, program=_program_without(prepared, path), skipped=skipped)


def _program_without(prepared: Prepared, path: str) -> Program:
    sources = {p: s for p, s in prepared.program.sources.items() if p != path}
    return replace(prepared.program, sources=sources)
