"""`check` and `apply`: program by program, so that a bad one never stops the rest."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from devicefix.engine.adoption import affair, use_of
from devicefix.engine.apart import files_apart, results_apart
from devicefix.engine.below import below
from devicefix.engine.cache import code_digest, memory
from devicefix.engine.choice import ALL_BUT_UNSAFE, Choice
from devicefix.engine.groups import UNSAFE
from devicefix.engine.interpreter import at_work, in_turn
from devicefix.engine.overlay import NOTHING, Overlay
from devicefix.engine.projects import Plan
from devicefix.engine.remaining import remains
from devicefix.engine.report import (
    BaselineUse,
    FileError,
    FileResult,
    Outcome,
    Remains,
    Report,
)
from devicefix.engine.scope import EVERYTHING, Scope
from devicefix.engine.witnessed import evidence_of
from devicefix.engine.work import Orders, Work
from devicefix.settings import Settings

if TYPE_CHECKING:
    from devicefix.codemod import Codemod
    from devicefix.engine.analysis import Analyse
    from devicefix.engine.workbench import Workbench

Progress = Callable[[Sequence[Path]], Iterable[Path]]
"""Passes the files through, and may show how far the work is."""


_AS_THEY_ARE: Final[Mapping[Path, bytes]] = MappingProxyType({})


def no_progress(files: Sequence[Path]) -> Iterable[Path]:
    """Show nothing."""
    return files


def check(
    paths: Sequence[Path],
    settings: Settings,
    progress: Progress = no_progress,
    *,
    codemods: Sequence[type[Codemod]] | None = None,
    analyse: Analyse | None = None,
    jobs: int = 1,
    overlay: Mapping[Path, bytes] = _AS_THEY_ARE,
    since: str = "",
    cached: bool = False,
    counting: bool = True,
) -> Report:
    """Find, and change nothing; uses the installed codemods unless ``codemods`` are given.

    ``jobs`` is the most processes that may share the work, 0 as many as there are processors. Where
    processes start with a new interpreter, the program that calls this has to allow for that
    (docs.python.org/3/library/multiprocessing.html, "Safe importing of main module").
    ``overlay`` takes the place of what files hold, wherever they are read; one that is not on the
    disk has to be among ``paths``. Of what git has ``since`` that revision only decisions count
    with a finding on a line that has changed. With ``cached`` programs that are as they were in
    such a run are not looked at again; it has no effect with ``codemods``, ``analyse``,
    ``overlay``, ``since`` or a baseline. Without ``counting`` the uses of CUDA that remain are not
    counted where rules are selected that need no evaluation: that is much faster.

    Raises `UnknownRuleError`, `RegistryError`, `BaselineError` and `GitError`.
    """
    tools = Tools(settings, codemods, analyse, jobs, cached, counting)
    return Rehearsal(paths, tools, progress, Work.SURVEY, Overlay.of(overlay), since).report()


def apply(
    paths: Sequence[Path],
    settings: Settings,
    dry_run: bool = False,
    progress: Progress = no_progress,
    *,
    codemods: Sequence[type[Codemod]] | None = None,
    analyse: Analyse | None = None,
    jobs: int = 1,
    choice: Choice = ALL_BUT_UNSAFE,
    allow_dirty: bool = False,
    since: str = "",
) -> Report:
    """Fix what may be fixed and write it, unless ``dry_run``; `undo` takes it back.

    Nothing is written before all files are analysed. ``jobs`` as for `check`; ``choice`` names
    groups, as reports do, that are not to be made, or are although they are unsafe;
    ``allow_dirty`` as for `commit`, ``since`` as for `check`.

    Raises what `check` raises, `JournalError` and `UncommittedError`; nothing was written then.
    """
    tools = Tools(settings, codemods, analyse, jobs)
    work = Work.REHEARSE if dry_run else Work.MEND
    report = Rehearsal(paths, tools, progress, work, since=since).report(choice)
    if dry_run:
        return report
    from devicefix.engine.committing import commit

    return commit(report, allow_dirty)


class Tools:
    """Opens a workbench when it is first needed: a folder without torch loads no codemod."""

    def __init__(
        self,
        settings: Settings,
        codemods: Sequence[type[Codemod]] | None = None,
        analyse: Analyse | None = None,
        jobs: int = 1,
        cached: bool = False,
        counting: bool = True,
    ) -> None:
        self.settings = settings
        self.counting = counting
        self.cached = cached and (codemods, analyse) == (None, None)
        self.jobs = jobs if (codemods, analyse) == (None, None) else 1
        self._given = codemods, analyse
        self._bench: Workbench | None = None
        if settings.select or settings.ignore:
            self.bench()  # a selector that names no rule is an error with nothing to check, too

    @property
    def textual(self) -> bool:
        """Whether nothing is evaluated; only rules that are selected by name need nothing of it."""
        return self._bench is not None and self._bench.textual

    def bench(self, choice: Choice = ALL_BUT_UNSAFE, scope: Scope = EVERYTHING) -> Workbench:
        """The workbench for ``choice`` within ``scope``."""
        if self._bench is None:
            from devicefix.engine.workbench import open_workbench

            self._bench = open_workbench(self.settings, *self._given, counting=self.counting)
        return replace(self._bench, choice=choice, policy=replace(self._bench.policy, scope=scope))


_Key = tuple[Choice, int]
"""What was chosen, and the number of a program."""


class Rehearsal:
    """The programs below some paths, and what becomes of them with one choice after the other.

    Files are found and put together once. A program is worked on again only where the choice is
    another one for its files, and so not all of a large project for each.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        tools: Tools,
        progress: Progress,
        work: Work,
        overlay: Overlay = NOTHING,
        since: str = "",
    ) -> None:
        self._started = time.perf_counter()
        self._tools = tools
        self._progress = progress
        self._work = work
        self._paths = paths
        self._known: dict[_Key, Outcome] = {}
        settings = tools.settings
        evidence_of(settings)  # what is wrong with it is said here, and once
        code = code_digest() if tools.cached and not overlay.texts else ""
        with at_work():
            found = below(paths, settings, overlay, code)
        self._files, self._errors = found.files, found.errors
        self._affair = affair(paths, found.plans, settings.baseline, since, overlay)
        self._plans = self._affair.plans
        self._apart = files_apart(found.scans, found.plans)
        self._overlay = overlay
        keeps = code and self._plans and work is Work.SURVEY and self._affair.scope == EVERYTHING
        self._memory = memory(settings, found.scans, code, tools.textual) if keeps else None

    def stay_in_this_process(self) -> None:
        """From now on; one that has got threads must not be forked
        (https://docs.python.org/3/library/os.html#os.fork)."""
        self._tools.jobs = 1

    def report(self, choice: Choice = ALL_BUT_UNSAFE) -> Report:
        """What becomes of all programs; nothing is written."""
        with at_work(), in_turn():
            return self._reported(self._outcomes(choice))

    def _outcomes(self, choice: Choice) -> list[Outcome]:
        keys = [(self._narrowed(choice, at), at) for at in range(len(self._plans))]
        if self._memory is not None:
            self._known |= self._memory.outcomes({key: self._plans[key[1]] for key in keys})
        new = [key for key in keys if key not in self._known]
        programs = [self._plans[at] for _, at in new]
        first = {plan.paths[0]: key for plan, key in zip(programs, new, strict=True)}
        cache = self._memory.cache if self._memory is not None else None
        orders = Orders(
            self._tools.settings,
            self._work,
            choice,
            self._affair.scope,
            cache,
            self._tools.counting,
        )
        fresh = _worked(programs, self._tools, orders)
        for path in self._progress(_in_order(self._files, programs)):
            if str(path) in first:
                self._known[first[str(path)]] = next(fresh)
        if cache is not None and new:
            cache.files.tidy()
        return [self._known[key] for key in keys]

    def _narrowed(self, choice: Choice, number: int) -> Choice:
        """``choice``, as far as it makes a difference to a program."""
        narrow = choice.within(self._plans[number].paths)
        plain = replace(narrow, trusts_all=False)
        known = self._known.get((plain, number))
        return plain if known is not None and not _has_unsafe(known) else narrow

    def _reported(self, outcomes: Sequence[Outcome]) -> Report:
        results = (result for outcome in outcomes for result in outcome.results)
        errors = [*self._errors, *(error for outcome in outcomes for error in outcome.errors)]
        return Report(
            files=tuple(sorted(filter(_is_worth_showing, results), key=lambda r: r.path)),
            errors=tuple(sorted(errors, key=_place_of)),
            checked=len(self._files),
            seconds=time.perf_counter() - self._started,
            groups=tuple(group for outcome in outcomes for group in outcome.groups),
            baseline=self._baseline_use(outcomes, errors),
            remains=self._remains(outcomes, errors),
            of_uncommitted=self._affair.uncommitted,
        )

    def _remains(self, outcomes: Sequence[Outcome], errors: Iterable[FileError]) -> Remains | None:
        """What is left of CUDA; None where only changed lines are looked at, or only texts."""
        if self._affair.scope.changed is not None or self._tools.textual:
            return None
        found = [result for outcome in outcomes for result in outcome.results]
        return remains([*found, *results_apart(self._apart, self._overlay)], errors)

    def _baseline_use(
        self, outcomes: Sequence[Outcome], errors: Sequence[FileError]
    ) -> BaselineUse | None:
        baseline = self._affair.baseline
        if baseline is None or self._work is not Work.SURVEY:
            return None
        everything = self._affair.scope.changed is None
        recognised = [one for outcome in outcomes for one in outcome.recognised]
        return use_of(
            baseline,
            recognised,
            self.looked_at(errors) if everything else (),
            self._paths if everything else (),
            lambda: self._tools.bench().policy.selected,
        )

    @property
    def of_uncommitted(self) -> bool:
        """Whether it is about the lines that git does not have yet."""
        return self._affair.uncommitted

    def looked_at(self, errors: Iterable[FileError]) -> frozenset[str]:
        """The real paths of all files but those that ``errors`` are about."""
        failed = {os.path.realpath(p) for e in errors for p in e.program or (e.path,)}
        return frozenset(map(os.path.realpath, self._files)) - failed


def _place_of(error: FileError) -> tuple[str, int, int]:
    return error.path, error.cell or 0, error.line or 0


def _has_unsafe(outcome: Outcome) -> bool:
    """Whether something was left only because it is unsafe."""
    return any(left.reason.startswith(UNSAFE) for r in outcome.results for left in r.left)


def _worked(programs: Sequence[Plan], tools: Tools, orders: Orders) -> Iterator[Outcome]:
    """What becomes of each program, in their order, as it is asked for."""
    if tools.jobs != 1 and len(programs) > 1:
        from devicefix.engine import processes

        count = processes.how_many(programs, tools.jobs)
        if count > 1:
            tools.bench()  # what is wrong with the rules is said here, and once
            return processes.outcomes(programs, orders, count)
    return (orders.carried_out(plan, tools.bench(orders.choice, orders.scope)) for plan in programs)


def rehearsal(
    paths: Sequence[Path],
    settings: Settings,
    dry_run: bool = False,
    progress: Progress = no_progress,
    *,
    codemods: Sequence[type[Codemod]] | None = None,
    analyse: Analyse | None = None,
    jobs: int = 1,
    overlay: Mapping[Path, bytes] = _AS_THEY_ARE,
    since: str = "",
) -> Rehearsal:
    """`apply` with several choices, of which the report on one may be given to `commit`.

    What is left has its positions in the files as they are to be, or with ``dry_run`` as they are.
    ``overlay`` as for `check`; a file that does not hold just that is not written by `commit`.
    ``since`` as for `check`, and so is what it raises.
    """
    work = Work.REHEARSE if dry_run else Work.MEND
    tools = Tools(settings, codemods, analyse, jobs)
    return Rehearsal(paths, tools, progress, work, Overlay.of(overlay), since)


def _in_order(files: Sequence[Path], plans: Iterable[Plan]) -> list[Path]:
    """``files``, those of each program one after the other."""
    place = {path: at for at, path in enumerate(p for plan in plans for p in plan.paths)}
    return sorted(files, key=lambda path: place.get(str(path), -1))


def _is_worth_showing(result: FileResult) -> bool:
    return bool(result.findings) or result.change is not None
