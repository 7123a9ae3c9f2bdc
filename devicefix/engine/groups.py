"""Fix groups: the edits of one decision are applied, rejected, selected and undone together."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from devicefix.engine.origins import renamed
from devicefix.engine.report import Left
from devicefix.engine.scope import EVERYTHING, Scope
from devicefix.findings import Applicability, CudaUse, Edit, Finding, Fix, Span

NO_FIX: Final = "there is no automatic fix"
OUT_OF_SCOPE: Final = "not part of this run"
UNSAFE: Final = "the fix is unsafe (--unsafe-fixes applies it)"

Key = tuple[str, str]
"""The file of a group, empty where it is shared by all files of the program, and its name."""

NOTHING: Final[Mapping[Finding, str]] = MappingProxyType({})


class Group(Struct, frozen=True, dict=True):
    """All findings whose fixes belong to one decision."""

    key: Key
    members: tuple[Finding, ...]

    @cached_property
    def edits(self) -> Mapping[str, tuple[Edit, ...]]:
        """The edits of all members by file, in their order; those that several share count once.

        They bear no paths of their own any more.
        """
        found: dict[str, dict[Edit, None]] = {}
        for member in self.members:
            for edit in member.fix.edits if member.fix is not None else ():
                found.setdefault(edit.path or member.path, {})[replace(edit, path="")] = None
        return {path: tuple(edits) for path, edits in found.items()}

    @property
    def files(self) -> frozenset[str]:
        """The files in which a member or an edit is."""
        return frozenset(self.edits).union(member.path for member in self.members)

    @property
    def weakest(self) -> Finding:
        """The member that decides how sure the whole is."""
        return min(self.members, key=_applicability)

    @property
    def needed(self) -> Finding | None:
        """What stops the program where there is an accelerator, until the group is made."""
        return next((m for m in self.members if m.fix is not None and m.fix.needed), None)

    @property
    def is_early(self) -> bool:
        """Whether the others wait for the text that it gives."""
        return any(m.fix is not None and m.fix.early for m in self.members)

    @property
    def applicability(self) -> Applicability:
        """That of the weakest member."""
        return _applicability(self.weakest)


def _applicability(finding: Finding) -> Applicability:
    return finding.fix.applicability if finding.fix is not None else Applicability.DISPLAY


def key_of(finding: Finding, fix: Fix) -> Key:
    """The group of ``finding``, which has ``fix``."""
    return ("" if fix.shared else finding.path, fix.group)


def grouped(findings: Iterable[Finding]) -> tuple[Group, ...]:
    """The groups among ``findings``, in the order of their first members."""
    members: dict[Key, list[Finding]] = {}
    for finding in findings:
        if finding.fix is not None:
            members.setdefault(key_of(finding, finding.fix), []).append(finding)
    return tuple(Group(key, tuple(found)) for key, found in members.items())


class Policy(Struct, frozen=True):
    """What the user asked for."""

    selected: frozenset[str]
    unsafe_fixes: bool
    scope: Scope = EVERYTHING
    on_request: frozenset[str] = frozenset()
    """Codes of rules that have nothing to say where they are not selected."""

    def shows(self, finding: Finding, suppressed: frozenset[Finding]) -> bool:
        """Whether the user wants to hear of ``finding``."""
        return finding.code in self.selected and finding not in suppressed

    def why_hidden(self, finding: Finding, suppressed: frozenset[Finding]) -> str:
        """Why the user does not hear of ``finding``."""
        if finding.code not in self.selected:
            return "not selected"
        return "suppressed by a comment" if finding in suppressed else OUT_OF_SCOPE

    def obstacle(
        self, group: Group, suppressed: frozenset[Finding], barred: Mapping[Finding, str]
    ) -> str | None:
        """Why ``group`` may not be applied; None if it may."""
        for member in group.members:
            if member.code not in self.selected:
                return f"also needs {member.code}, which is not selected"
            if member in suppressed:
                where = f"line {member.line}"
                if len(group.files) > 1 or member.cell is not None:
                    where = member.where
                return f"also needs {member.code}, which is suppressed on {where}"
            if member in barred:
                return barred[member]
        if group.applicability is Applicability.DISPLAY or not group.edits:
            return NO_FIX
        if group.applicability is Applicability.UNSAFE and not self.unsafe_fixes:
            return UNSAFE
        return None


class Triage(Struct, frozen=True):
    """The findings of one look, sorted by what becomes of them."""

    shown: tuple[Finding, ...]
    """Selected and not suppressed; the applicability of each is that of its whole group."""
    groups: Mapping[Key, Group]
    """All of them."""
    obstacles: Mapping[Key, str]
    """Why each group is left that may not be applied."""
    unheard: tuple[tuple[Finding, str], ...] = ()
    """All other findings, and why they are not shown."""
    uses: Mapping[str, tuple[CudaUse, ...]] = MappingProxyType({})
    """By file where it names CUDA."""
    limits: tuple[str, ...] = ()
    """Why something may be missing."""

    @property
    def ready(self) -> tuple[Group, ...]:
        """The groups to apply."""
        return tuple(group for key, group in self.groups.items() if key not in self.obstacles)

    def left(self, placed: Callable[[Finding], Finding] = lambda x: x) -> tuple[Left, ...]:
        """The shown findings that no ready group fixes, with the reason, all as ``placed``."""
        outcomes = self.outcomes(placed)
        return tuple(Left(placed(finding), why) for finding, why in outcomes if why is not None)

    def outcomes(
        self, placed: Callable[[Finding], Finding] = lambda x: x
    ) -> Iterator[tuple[Finding, str | None]]:
        """The shown findings, and why each is left; None where a ready group fixes it."""
        for finding in self.shown:
            left = finding.fix is None or key_of(finding, finding.fix) in self.obstacles
            yield finding, self._reason(finding, placed) if left else None

    def unsafe(self) -> dict[str, set[Span]]:
        """By file where the shown findings are that no safe fix takes away, whoever asks for it."""
        found: dict[str, set[Span]] = {}
        for finding in self.shown:
            why = self.obstacles.get(key_of(finding, finding.fix), "") if finding.fix else UNSAFE
            if why == NO_FIX or why.startswith(UNSAFE):
                found.setdefault(finding.path, set()).add(finding.span)
        return found

    def without(self, dropped: Mapping[Key, str]) -> Triage:
        """The same, but for ready groups that turned out to be unfit."""
        return replace(self, obstacles={**self.obstacles, **dropped})

    def allowing(self, keys: Iterable[Key]) -> Triage:
        """The same, but nothing stands in the way of these groups."""
        allowed = frozenset(keys)
        return replace(
            self, obstacles={k: why for k, why in self.obstacles.items() if k not in allowed}
        )

    def doubting(self, reasons: Mapping[Key, str]) -> Triage:
        """The same, but these groups are unsafe, for these reasons."""
        obstacles = {key: f"{UNSAFE}: {why}" for key, why in reasons.items()}
        shown = (_doubted(f, reasons) for f in self.shown)
        return replace(self.without(obstacles), shown=tuple(shown))

    def _reason(self, finding: Finding, placed: Callable[[Finding], Finding]) -> str:
        if finding.fix is None:
            return placed(finding).advice or NO_FIX
        key = key_of(finding, finding.fix)
        reason, weakest = self.obstacles[key], self.groups[key].weakest
        advice = _said_in(finding.path, placed(weakest if weakest.advice else finding))
        if reason == NO_FIX:
            return advice or reason
        return f"{reason}: {advice}" if advice and not reason.endswith(advice) else reason


def _doubted(finding: Finding, reasons: Mapping[Key, str]) -> Finding:
    """``finding``, no more than unsafe if its group has one of ``reasons``."""
    if finding.fix is None or key_of(finding, finding.fix) not in reasons:
        return finding
    why = finding.advice or reasons[key_of(finding, finding.fix)]
    fix = replace(finding.fix, applicability=Applicability.UNSAFE)
    return replace(finding, fix=fix, advice=why)


def _said_in(path: str, finding: Finding) -> str:
    """The advice of ``finding`` for a reader of the file ``path``."""
    if finding.path == path:
        return finding.advice
    own = (m.name for m in finding.mentions if m.path == finding.path)
    lines = {n: f"{finding.path}:{n.removeprefix('line ')}" for n in own if n.startswith("line ")}
    return renamed(finding.advice, lines)


def triage(
    findings: Sequence[Finding],
    suppressed: frozenset[Finding],
    policy: Policy,
    barred: Mapping[Finding, str] = NOTHING,
    outside: frozenset[Finding] = frozenset(),
) -> Triage:
    """Sort the findings of one look at a program.

    ``barred`` says why some have edits that may not be made; those that are ``outside`` count only
    where another one of their group does.
    """
    groups = {group.key: group for group in grouped(findings)}
    obstacles = {key: policy.obstacle(group, suppressed, barred) for key, group in groups.items()}
    shown = [finding for finding in findings if policy.shows(finding, suppressed)]
    if outside:
        inside = {f if f.fix is None else key_of(f, f.fix) for f in shown if f not in outside}
        shown = [f for f in shown if (f if f.fix is None else key_of(f, f.fix)) in inside]
        obstacles |= {key: OUT_OF_SCOPE for key in groups if key not in inside}
    visible, waiting = frozenset(shown), policy.on_request - policy.selected
    hidden = (f for f in findings if f not in visible and f.code not in waiting)
    return Triage(
        tuple(levelled(f, groups[key_of(f, f.fix)]) if f.fix is not None else f for f in shown),
        groups,
        {key: obstacle for key, obstacle in obstacles.items() if obstacle is not None},
        tuple((f, policy.why_hidden(f, suppressed)) for f in hidden),
    )


def levelled(finding: Finding, group: Group) -> Finding:
    """``finding`` with the applicability of its whole group."""
    if finding.fix is None:
        return finding
    return replace(finding, fix=replace(finding.fix, applicability=group.applicability))


def compatible(ready: Sequence[Group]) -> tuple[Group, ...]:
    """As many of ``ready`` as go together, those that start first before others; at least one.

    The rest waits for the next round, in which it is found again in the new text.
    """
    chosen: list[Group] = []
    taken: dict[str, list[Edit]] = {}
    for group in sorted(ready, key=_first_edit):
        if not any(_clashes(edits, taken.get(path, ())) for path, edits in group.edits.items()):
            chosen.append(group)
            for path, edits in group.edits.items():
                for edit in edits:
                    insort(taken.setdefault(path, []), edit)
    return tuple(chosen)


def _first_edit(group: Group) -> tuple[tuple[str, Edit], Key]:
    return min((path, edit) for path, edits in group.edits.items() for edit in edits), group.key


def _clashes(edits: Iterable[Edit], taken: Sequence[Edit]) -> bool:
    return any(_clash(mine, other) for mine in edits for other in _near(mine, taken))


def _near(edit: Edit, taken: Sequence[Edit]) -> Iterator[Edit]:
    """Those of ``taken`` (sorted, none over another) that ``edit`` may touch."""
    at = bisect_left(taken, edit.start, key=lambda other: other.start)
    if at:
        yield taken[at - 1]
    while at < len(taken) and taken[at].start <= edit.end:
        yield taken[at]
        at += 1


def _clash(mine: Edit, other: Edit) -> bool:
    """Whether the edits of two groups must not meet in one round."""
    if mine == other:
        return not _stands_alone(mine.text)
    if mine.start == mine.end == other.start == other.end:
        return mine.rank == other.rank  # nobody says which comes first
    return mine.start < other.end and other.start < mine.end


def _stands_alone(text: str) -> bool:
    """False for half of a pair of brackets: two groups that open one each need two."""
    return all(text.count(a) == text.count(b) for a, b in ("()", "[]", "{}"))
