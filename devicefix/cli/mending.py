"""``devicefix apply --run``: a program is repaired by what runs of it show."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from devicefix.cli import launching, verifying
from devicefix.cli.accepting import Wish, planned
from devicefix.cli.exits import CANNOT, failures
from devicefix.engine import Rehearsal, commit, refuse_uncommitted, rehearsal
from devicefix.settings import Settings

if TYPE_CHECKING:
    from devicefix.verification.loop.outcome import Ended


_UNUSED: Final = "DFX701"
"""A comment that keeps the rules from nothing may keep the repairs of runs away."""


def apply_mended(paths: Sequence[Path], settings: Settings, wish: Wish, rounds: int) -> int:
    """Repair the program below ``paths`` and write what passes; the exit status."""
    with failures(), launching.launch_failures(), verifying.cleared_away():
        ended = _mended(paths, settings, wish, rounds)
        written = ended.passed and not wish.dry_run
        if written:
            ended = ended.with_report(commit(ended.acceptance.report, wish.allow_dirty))
    _show(ended, written, wish)
    return CANNOT if ended.acceptance.report.errors else ended.status


def _mended(paths: Sequence[Path], settings: Settings, wish: Wish, rounds: int) -> Ended:
    from devicefix.reporting.progress import progress_bar, steps
    from devicefix.verification.loop.draft import Draft
    from devicefix.verification.loop.ending import ended
    from devicefix.verification.loop.looping import Loop
    from devicefix.verification.loop.static import Rules
    from devicefix.verification.verifying import Verifier

    settings = replace(settings, ignore=(*settings.ignore, _UNUSED))

    def rehearse(texts: Mapping[Path, bytes]) -> Rehearsal:
        return rehearsal(paths, settings, True, progress_bar, jobs=wish.jobs, overlay=texts)

    rules = Rules(rehearse)
    files = rules.files()
    root = Path(os.path.commonpath([os.path.realpath(Path.cwd()), *files]))
    draft = Draft(root, files)
    if not (wish.dry_run or wish.allow_dirty):
        refuse_uncommitted(rules.report(draft))  # now, and not after the runs
    request, target = planned(wish.command, wish.run, root)
    with steps() as progress, Verifier(request, target.before, progress) as verifier:
        loop = Loop(verifier.ran, rules, settings, request.devices[0], rounds)
        return ended(loop.mend(draft), rules, verifier.verify)


def _show(ended: Ended, written: bool, wish: Wish) -> None:
    from devicefix.reporting import diff, loop_text, text
    from devicefix.reporting.account import Account

    found = ended.acceptance
    account = Account(
        found.report,
        "apply",
        wish.dry_run,
        found,
        written,
        listing=wish.listing,
        mended=ended.mended,
    )

    def show_text() -> None:
        if wish.dry_run and ended.passed:
            diff.show_or_write(found.report)
        loop_text.show(account, sys.stderr if wish.dry_run else sys.stdout)

    wish.output.show(account, show_text)
    text.show_errors(found.report.errors)
