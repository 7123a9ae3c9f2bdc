"""Choices of fix groups, each of them verified once."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from devicefix.engine import AppliedGroup, Choice, Identity, Report
from devicefix.findings import Applicability
from devicefix.source import Source, SourceError
from devicefix.verification.demands import Demand, demands, in_file
from devicefix.verification.errors import LaunchError
from devicefix.verification.request import Candidate
from devicefix.verification.result import Verdict, Verification
from devicefix.verification.search import EnoughError
from devicefix.verification.trees import Tree

Rehearse = Callable[[Choice], Report]
Verify = Callable[[Candidate, Sequence[str] | None], Verification]
"""As `Verifier.verify`."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A choice, the program that it makes, and what the verification says of that."""

    choice: Choice
    report: Report
    verification: Verification
    demands: Mapping[Identity, tuple[tuple[str, Demand], ...]]
    """What has to run of each group, by path below the root of the tree."""

    @property
    def passed(self) -> bool:
        """Whether the program does the same, and computes on the accelerator."""
        return self.verification.verdict is Verdict.PASS

    def lacks(self, group: AppliedGroup) -> str:
        """Why this run says nothing of ``group``; empty where each of its lines has run."""
        wanted = self.demands.get(group.identity, ())
        if not wanted:
            return "it has no line that could run"
        executed = self.verification.executed
        for path, demand in wanted:
            if not demand.met(executed.get(path, ())):
                only = len(group.lines) == 1
                return demand.complaint if only else f"{path}: {demand.complaint}"
        return ""

    @property
    def unsafe(self) -> tuple[AppliedGroup, ...]:
        """The unsafe groups in it."""
        groups = self.report.groups
        return tuple(g for g in groups if g.applicability is Applicability.UNSAFE)


class Trials:
    """Verifies one choice after the other, but not more than a number of them."""

    def __init__(self, rehearse: Rehearse, verify: Verify, root: Path, most: int) -> None:
        self._rehearse = rehearse
        self._verify = verify
        self._root = root
        self._most = most
        self._before: dict[str, bytes] = {}
        """What each file held when it was first looked at."""
        self._known: dict[tuple[frozenset[tuple[str, bytes]], tuple[str, ...] | None], Trial] = {}
        self.count = 0

    def report(self, choice: Choice) -> Report:
        """What ``choice`` makes of the files. Raises `LaunchError` where one has changed."""
        report = self._rehearse(choice)
        for result, change in report.changes:
            if self._before.setdefault(result.path, change.before) != change.before:
                raise LaunchError(f"{result.path} was changed in the meantime; nothing was written")
        return report

    def of(self, choice: Choice, devices: tuple[str, ...] | None = None) -> Trial:
        """``choice`` under verification, on all devices unless some are named.

        Two choices that make the same of all files are one. Raises `EnoughError` and `LaunchError`.
        """
        report = self.report(choice)
        overlay = {self._name(result.path): change.after for result, change in report.changes}
        key = frozenset(overlay.items()), devices
        wanted = self._demands(report)
        if key not in self._known:
            self._count()
            lines = _lines(wanted)
            found = self._verify(Candidate(Tree(self._root, overlay), lines), devices)
            self._known[key] = Trial(choice, report, found, wanted)
        return Trial(choice, report, self._known[key].verification, wanted)

    def _count(self) -> None:
        if self.count >= self._most:
            raise EnoughError
        self.count += 1

    def _name(self, path: str) -> str:
        """The path below the root, as trees have it."""
        real = Path(os.path.realpath(path))
        if not real.is_relative_to(self._root):
            raise LaunchError(f"{path} is not in {self._root}, the folder that is copied and run")
        return real.relative_to(self._root).as_posix()

    def _demands(self, report: Report) -> dict[Identity, tuple[tuple[str, Demand], ...]]:
        texts = {r.path: _parsed(r.path, change.after) for r, change in report.changes}
        return {
            group.identity: tuple(
                in_file(self._name(path), source, demand)
                for path, lines in group.lines.items()
                if (source := texts.get(path)) is not None
                for demand in demands(source, lines)
            )
            for group in report.groups
        }


def _parsed(path: str, data: bytes) -> Source | None:
    try:
        return Source.from_bytes(data, path)
    except SourceError:
        return None


def _lines(
    wanted: Mapping[Identity, tuple[tuple[str, Demand], ...]],
) -> dict[str, frozenset[int]]:
    """All lines that one wants to hear of, by file."""
    found: dict[str, frozenset[int]] = {}
    for of_group in wanted.values():
        for path, demand in of_group:
            found[path] = found.get(path, frozenset()) | demand.lines
    return {path: lines for path, lines in found.items() if lines}
