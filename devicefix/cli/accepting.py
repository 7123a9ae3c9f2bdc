"""``devicefix apply --verify``: written is only what passes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from devicefix.cli import launching, verifying
from devicefix.cli.exits import CANNOT, DONE, failures
from devicefix.cli.output import Output
from devicefix.engine import Report, commit, refuse_uncommitted, rehearsal
from devicefix.settings import Settings

if TYPE_CHECKING:
    from devicefix.verification.acceptance import Acceptance
    from devicefix.verification.request import Candidate, Request
    from devicefix.verification.result import Verification
    from devicefix.verification.targets import Target
    from devicefix.verification.trials import Rehearse, Verify


@dataclass(frozen=True, slots=True)
class Wish:
    """What the user asked for."""

    command: str
    run: verifying.RunOptions
    dry_run: bool
    allow_dirty: bool
    keep_passing: bool
    since: str
    jobs: int
    output: Output
    listing: bool = False
    """Whether each use of CUDA that remains is named."""


def apply_verified(paths: Sequence[Path], settings: Settings, wish: Wish) -> int:
    """Verify the fixes of ``paths`` and write what passes; the exit status."""
    from devicefix.reporting import progress

    with failures(), launching.launch_failures(), verifying.cleared_away():
        trial = rehearsal(
            paths,
            settings,
            wish.dry_run,
            progress.progress_bar,
            jobs=wish.jobs,
            since=wish.since,
        )
        if not (wish.dry_run or wish.allow_dirty):
            refuse_uncommitted(trial.report())  # now, and not after the runs
        ended = verified(trial.report, wish)
    return ended.show(paths, wish)


@dataclass(frozen=True, slots=True)
class Ended:
    """What came of it."""

    found: Acceptance
    written: Report | None
    """None where nothing was."""
    was_reported: bool
    """Whether why it was refused is on the screen already."""

    def show(self, paths: Sequence[Path], wish: Wish) -> int:
        """Tell it; the exit status."""
        from devicefix.reporting import text

        _show(self.found, self.written is not None, self.was_reported, paths, wish)
        text.show_errors(self.found.report.errors)
        return _status(self.found)


def verified(rehearse: Rehearse, wish: Wish) -> Ended:
    """Verify what ``rehearse`` gives and write what passes."""
    found = _accepted(rehearse, wish)
    asked = _is_to_be_asked(found, wish)
    written = _write(found, asked, wish)
    return Ended(replace(found, report=written or found.report.unwritten()), written, asked)


def _accepted(rehearse: Rehearse, wish: Wish) -> Acceptance:
    from devicefix.reporting.progress import steps
    from devicefix.verification.gate import accept
    from devicefix.verification.planning import root_of
    from devicefix.verification.verifying import Verifier

    request, target = planned(wish.command, wish.run, root_of(rehearse))
    with steps() as progress:
        count = _Count(progress)
        with Verifier(request, target.before, count.step) as verifier:
            return accept(rehearse, count.counted(verifier.verify), target.before.root)


class _Count:
    """Says of each step which verification it belongs to."""

    def __init__(self, progress: Callable[[str], None]) -> None:
        self._progress = progress
        self._number = 0

    def step(self, name: str) -> None:
        self._progress(f"verification {self._number}: {name}")

    def counted(self, verify: Verify) -> Verify:
        """``verify``, and another number with each."""

        def next_one(after: Candidate, devices: Sequence[str] | None) -> Verification:
            self._number += 1
            return verify(after, devices)

        return next_one


def planned(line: str, options: verifying.RunOptions, root: Path) -> tuple[Request, Target]:
    """What is to be run in ``root``, and where; raises `LaunchError` before anything is."""
    from devicefix.verification import Bounds
    from devicefix.verification.planning import Wanted, plan

    devices = verifying.devices_named(options.devices)
    bounds = Bounds(options.timeout, options.memory)

    def interpreter(named: str | None) -> str:
        return launching.chosen_interpreter(options.python or named)

    wanted = Wanted(line, devices, bounds, options.tolerance)
    return plan(wanted, root, interpreter, verifying.check_devices)


def _is_to_be_asked(found: Acceptance, wish: Wish) -> bool:
    """Whether somebody is there who can say what becomes of the rest."""
    if not found.has_rest or wish.keep_passing or wish.dry_run:
        return False
    if not wish.output.for_people:
        return False
    return all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))


def _write(found: Acceptance, asked: bool, wish: Wish) -> Report | None:
    """What was written; None where nothing was to be."""
    from devicefix.reporting import acceptance_text

    if wish.dry_run or not found.report.changes:
        return None
    if asked:
        acceptance_text.show_refusal(found, sys.stdout)
        question = acceptance_text.question(found)
        return commit(found.report, wish.allow_dirty) if click.confirm(question, err=True) else None
    return commit(found.report, wish.allow_dirty) if _is_for_writing(found, wish) else None


def _is_for_writing(found: Acceptance, wish: Wish) -> bool:
    from devicefix.verification.acceptance import Decision

    return found.decision is Decision.ACCEPTED or (found.has_rest and wish.keep_passing)


def _show(found: Acceptance, written: bool, told: bool, paths: Sequence[Path], wish: Wish) -> None:
    """``told``: why it was refused is on the screen already."""
    from devicefix.reporting import acceptance_text, diff
    from devicefix.reporting.account import Account

    again = ("--verify", wish.command, "--keep-passing", *map(str, paths))
    account = Account(
        found.report, "apply", wish.dry_run, found, written, again, listing=wish.listing
    )

    def show_text() -> None:
        if wish.dry_run and _is_for_writing(found, wish):
            diff.show_or_write(found.report)
        out = sys.stderr if wish.dry_run else sys.stdout  # so that stdout is a patch
        acceptance_text.show(found, account, out, told)

    wish.output.show(account, show_text)


def _status(found: Acceptance) -> int:
    """That of what the verification of all fixes says; errors outrank it."""
    if found.report.errors:
        return CANNOT
    return found.refusal.verdict.status if found.refusal is not None else DONE
