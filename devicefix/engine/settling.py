"""Applying the fixes of one program round by round until nothing is left to apply."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from devicefix.codemod import Codemod
from devicefix.engine.analysis import Analyst, Look, Recalling
from devicefix.engine.checks import Inspector
from devicefix.engine.choice import Choice, Identity
from devicefix.engine.emptied import each_keeping_blocks, keeping_blocks
from devicefix.engine.groups import (
    UNSAFE,
    Group,
    Key,
    Policy,
    Triage,
    compatible,
    triage,
)
from devicefix.engine.idle import afterthoughts
from devicefix.engine.judging import objections_to
from devicefix.engine.made import Made, identity_of
from devicefix.engine.origins import Places
from devicefix.engine.preparing import Prepared
from devicefix.engine.report import FileFailedError
from devicefix.engine.scope import View
from devicefix.engine.suppression import barred, suppressed
from devicefix.findings import Applicability, Edit, Finding
from devicefix.source import Program, Source, SourceError
from devicefix.time_limit import check_time

MAX_ROUNDS: Final = 8
"""Looks at one program; fixes that need more do not settle."""
MAX_ATTEMPTS: Final = 4
"""Starts from the original texts, each without the fixes that did not settle before."""
MAX_TRIALS: Final = 4
"""Starts without the fixes that the judge has objected to; the last one makes no safe fix."""

_STOPS: Final = "the program may already fail on the device"


class Settled(Struct, frozen=True):
    """A program with all its fixes made."""

    sources: Mapping[str, Source]
    """The new texts."""
    made: tuple[Made, ...]
    """What was applied, round by round."""
    triage: Triage
    """Of the last look, which found nothing more to apply."""
    places: Places
    dropped: tuple[tuple[Finding, str], ...]
    """The first member of each group that could not be applied, in the original text, and why."""
    unproven: Mapping[Identity, str] = field(default_factory=dict)
    """The groups that are called safe, and that the judge does not accept, with the reason."""

    @property
    def applied(self) -> tuple[Finding, ...]:
        """All that was fixed, at its place in the original text."""
        return tuple(finding for made in self.made for finding in made.findings)


def survey(
    program: Program,
    analyst: Analyst,
    policy: Policy,
    view: View | None = None,
    places: Places | None = None,
) -> Triage:
    """One look at ``program``, at all of it where no ``view`` is given.

    ``places`` says where its texts come from.
    """
    places = places or Places(program.sources)
    look = _Seen(analyst.look(program), program, analyst.codemods, policy, view, places)
    return look.first() if look.is_early else look.last()


class _Seen:
    """What a look at a program has found, for one who wants something of it."""

    def __init__(
        self,
        look: Look,
        program: Program,
        codemods: Sequence[type[Codemod]],
        policy: Policy,
        view: View | None,
        places: Places,
    ) -> None:
        self._uses = look.uses
        self._limits = look.limits
        self._findings = each_keeping_blocks(look.findings, program.sources)
        self._program = program
        self._policy = policy
        self._view = view
        self._places = places
        self._suppressed = frozenset[Finding]().union(
            *(
                suppressed((f for f in self._findings if f.path == path), source)
                for path, source in program.sources.items()
                if source.suppressions.by_line
            )
        )
        self._late = afterthoughts(
            program, self._findings, look.complete, codemods, policy.selected
        )
        if view is not None:
            view.recognise([f for f in self._late if policy.shows(f, frozenset())], places)

    @property
    def is_early(self) -> bool:
        """Whether what is found will be another thing once old idioms are up to date."""
        early = (f for f in self._findings if f.fix is not None and f.fix.early)
        return any(self._policy.shows(finding, self._suppressed) for finding in early)

    def first(self) -> Triage:
        """What is found, but for what can be said only when nothing else is to be done."""
        return self._triage(self._findings)

    def last(self) -> Triage:
        """All of it."""
        return self._triage((*self._findings, *self._late))

    def _triage(self, findings: Sequence[Finding]) -> Triage:
        outside = frozenset[Finding]()
        if self._view is not None:
            shown = [f for f in findings if self._policy.shows(f, self._suppressed)]
            outside = self._view.outside(shown, self._places)
        out = barred(findings, self._program)
        found = triage(findings, self._suppressed, self._policy, out, outside)
        return replace(found, uses=self._uses, limits=self._limits)


def settle(prepared: Prepared, analyst: Recalling, policy: Policy, choice: Choice) -> Settled:
    """Apply what ``policy`` and ``choice`` allow until a look finds nothing more to apply.

    A group whose edits would break a file is dropped in all files, and the others are applied.
    Raises `FileFailedError` where the program never comes to rest.
    """
    sources = prepared.program.sources
    inspectors = {path: Inspector(source) for path, source in sources.items()}
    banned: dict[Identity, str] = {}
    unproven: dict[Identity, str] = {}
    attempts = trials = 0
    while attempts < MAX_ATTEMPTS:
        attempt = _Attempt(prepared, analyst, policy, choice, inspectors, banned, unproven)
        if not attempt.run():
            banned = attempt.banned | dict.fromkeys(attempt.restless(), "its fix does not converge")
            attempts += 1
            analyst.forget()
            continue
        beside = analyst.beside_cuda() if attempt.is_for_cuda else analyst
        if beside is not analyst:
            analyst = beside
            continue
        if halves := attempt.halves():
            unproven |= halves
            continue
        objections = attempt.objections()
        if not objections:
            return attempt.outcome()
        trials += 1
        unproven |= objections if trials < MAX_TRIALS else attempt.all_unproven(objections)
    first = next(iter(sources))
    raise FileFailedError(first, None, "its fixes do not converge; none was made")


class _Attempt:
    """One run from the original texts."""

    def __init__(
        self,
        prepared: Prepared,
        analyst: Analyst,
        policy: Policy,
        choice: Choice,
        inspectors: Mapping[str, Inspector],
        banned: Mapping[Identity, str],
        unproven: Mapping[Identity, str],
    ) -> None:
        self._first = prepared.program
        self._unproven = unproven
        self._program = prepared.program
        self._analyst = analyst
        self._policy = policy
        self._choice = choice
        self._inspectors = inspectors
        self._edited: Mapping[str, Source] = {}
        self._sound_texts: dict[tuple[str, frozenset[Edit]], Source] = {}  # of one round
        self._places = prepared.places
        self._made = list(prepared.made)
        self._prepared_rounds = {
            path: prepared.places.rounds(path) for path in prepared.program.sources
        }
        self._dropped: dict[Identity, tuple[Finding, str]] = {}
        self.banned = dict(banned)
        self._view = View(policy.scope)
        self._for_cuda = False
        self._triage = self._look()

    def run(self) -> bool:
        """Whether the program came to rest."""
        for _ in range(MAX_ROUNDS):
            if not self._triage.ready:
                return True
            self._round()
            self._triage = self._look()
        return not self._triage.ready

    @property
    def is_for_cuda(self) -> bool:
        """Whether what was made stands beside something that is put on CUDA by its name, or on the
        device is something that not every accelerator takes, or something is left that stops it
        on any."""
        return bool(self._made) and (self._for_cuda or self._missing() is not None)

    def restless(self) -> frozenset[Identity]:
        """The groups that are still found after the last round."""
        return frozenset(map(self._identity, self._triage.ready))

    def objections(self) -> Mapping[Identity, str]:
        """The safe groups that the judge does not accept, and why; those that are made all the
        same are none of them."""
        if self._policy.unsafe_fixes:
            return {}
        done = self._prepared_rounds
        left = self._triage.unsafe()
        before, after = self._first.unseen, self._program.unseen
        found = objections_to(before, after, self._made, done, self._places, left)
        return {group: why for group, why in found.items() if not self._choice.trusts(group)}

    def halves(self) -> Mapping[Identity, str]:
        """What was made to bring the program to other accelerators, where something is left that
        stops it there, and where that is."""
        if (missing := self._missing()) is None:
            return {}
        codes = {codemod.code for codemod in self._analyst.codemods if codemod.extends}
        made = (m for m in self._made if any(f.code in codes for f in m.findings))
        why = f"{_STOPS} ({self._places.relocated(missing).where})"
        return {m.identity: why for m in made if not self._choice.trusts(m.identity)}

    def _missing(self) -> Finding | None:
        """Something that stops the program on an accelerator, and whose fix is not made."""
        if self._policy.unsafe_fixes:
            return None
        left = (self._triage.groups[key].needed for key in self._triage.obstacles)
        return next((finding for finding in left if finding is not None), None)

    def all_unproven(self, objections: Mapping[Identity, str]) -> Mapping[Identity, str]:
        """All groups that were made: what is left after several trials cannot be told apart."""
        why = next(iter(objections.values()))
        return {made.identity: why for made in self._made}

    def outcome(self) -> Settled:
        return Settled(
            self._program.sources,
            tuple(self._made),
            self._triage,
            self._places,
            tuple(self._dropped.values()),
            self._unproven,
        )

    def _look(self) -> Triage:
        found = self._analyst.look(self._program)
        self._for_cuda = found.on_cuda or (found.is_narrow and not self._policy.unsafe_fixes)
        look = self._seen(found)
        seen = self._allowed(look.first())
        return seen if seen.ready else self._allowed(look.last())

    def _seen(self, look: Look) -> _Seen:
        codemods = self._analyst.codemods
        return _Seen(look, self._program, codemods, self._policy, self._view, self._places)

    def _allowed(self, look: Triage) -> Triage:
        """What of it may be applied as far as the choice goes, and what has broken no file."""
        seen = self._trusting(look)
        dropped: dict[Key, str] = {}
        doubted: dict[Key, str] = {}
        for group in seen.ready:
            # an edit elsewhere may have split the decision: its parts stay undone as the whole did
            identity = self._identity(group)
            banned = next((b for b in self.banned if b & identity), None)
            unproven = next((u for u in self._unproven if u & identity), None)
            if self._choice.leaves_out(identity):
                dropped[group.key] = self._choice.why
            elif unproven is not None and group.applicability is Applicability.SAFE:
                if not (self._policy.unsafe_fixes or self._choice.trusts(identity)):
                    doubted[group.key] = self._unproven[unproven]
            elif banned is not None:
                dropped[group.key] = self.banned[banned]
                first = self._places.relocated(group.members[0])
                self._dropped.setdefault(banned, (first, self.banned[banned]))
        return seen.doubting(doubted).without(dropped)

    def _trusting(self, seen: Triage) -> Triage:
        unsafe = [seen.groups[key] for key, why in seen.obstacles.items() if why == UNSAFE]
        return seen.allowing(g.key for g in unsafe if self._choice.trusts(self._identity(g)))

    def _identity(self, group: Group) -> Identity:
        return identity_of(group, self._places)

    def _round(self) -> None:
        ready, before = self._triage.ready, self._program
        early = [group for group in ready if group.is_early]
        self._make(early or ready)
        if early and self._program is not before:
            look = self._analyst.tidy(self._program, before)
            self._make(self._allowed(self._seen(look).first()).ready)

    def _make(self, groups: Sequence[Group]) -> None:
        self._sound_texts.clear()
        kept = self._sound(compatible(groups), ())
        if not kept:
            return
        kept = keeping_blocks(kept, self._program.sources)
        self._made += [Made.of(group, self._places) for group in kept]
        from devicefix.flow.evaluated import too_fine

        first, coarse = self._first.sources, too_fine(self._program)
        self._program = replace(self._program, sources=self._edited, first=first, too_fine=coarse)
        self._places = self._places.after(_edits(kept))

    def _sound(self, groups: Sequence[Group], kept: tuple[Group, ...]) -> tuple[Group, ...]:
        """Those of ``groups`` that can be applied with ``kept``; the others are banned.

        Leaves the texts with all that was kept in ``_edited``.
        """
        try:
            self._edited = self._with((*kept, *groups))
        except SourceError as error:
            if len(groups) == 1:
                self.banned[self._identity(groups[0])] = _why_dropped(groups[0], error)
                return ()
            some, others = _parts(groups, error.path)
        else:
            return tuple(groups)
        left = self._sound(some, kept)
        return left + self._sound(others, kept + left)

    def _with(self, groups: Sequence[Group]) -> Mapping[str, Source]:
        """The texts with the edits of ``groups``. Raises `SourceError` where one must not stand."""
        made = keeping_blocks(groups, self._program.sources)
        edited = {path: self._edit(path, edits) for path, edits in _edits(made).items()}
        return {**self._program.sources, **edited}

    def _edit(self, path: str, edits: Sequence[Edit]) -> Source:
        check_time()
        key = path, frozenset(edits)
        if key not in self._sound_texts:
            source = self._program.sources[path]
            self._sound_texts[key] = self._inspectors[path].edited(source, edits)
        return self._sound_texts[key]


def _why_dropped(group: Group, error: SourceError) -> str:
    known = error.path == group.members[0].path
    return f"its fix was dropped: {error.reason if known else error}"


def _parts(groups: Sequence[Group], path: str) -> tuple[Sequence[Group], Sequence[Group]]:
    """``groups`` in two, to find those that break the file at ``path``."""
    suspects = [group for group in groups if path in group.edits]
    others = [group for group in groups if path not in group.edits]
    if suspects and others:
        return others, suspects
    half = len(groups) // 2
    return groups[:half], groups[half:]


def _edits(groups: Iterable[Group]) -> dict[str, list[Edit]]:
    """All edits by file; those that several groups share count once."""
    found: dict[str, dict[Edit, None]] = {}
    for group in groups:
        for path, edits in group.edits.items():
            found.setdefault(path, {}).update(dict.fromkeys(edits))
    return {path: list(edits) for path, edits in found.items()}
