"""Whether a tool has mended a program: it does what the expert's does, or at least no harm."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bug_running import Ran, Seen
from bugs import Bug

sys.path.append(str(Path(__file__).resolve().parent.parent))

from harm_judging import same_numbers, same_text

SOLVED: Final = "solved"
UNSOLVED: Final = "unsolved"
WRONG: Final = "wrong"
VERDICTS: Final = (SOLVED, UNSOLVED, WRONG)
NEAR: Final = 0.05
"""By how much the share on the accelerator may fall short of the one that is compared with."""
_TIMES: Final = re.compile(r"\bin \d+\.\d+s\b")
"""What pytest says at last."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of an entry, and why."""

    verdict: str
    reason: str = ""


def judged(before: Seen, expert: Seen, after: Seen) -> Verdict:
    """What a tool has made of a program, ``after``."""
    if reason := _harm(before, expert, after):
        return Verdict(WRONG, reason)
    if reason := _lack(before, expert, after):
        return Verdict(UNSOLVED, reason)
    return Verdict(SOLVED)


def _harm(before: Seen, expert: Seen, after: Seen) -> str:
    """What ran before and does not now, or prints something else, or computes less there."""
    if before.cpu.well and not after.cpu.well:
        return f"on the CPU it ran before: {after.cpu.error}"
    if after.cpu.well and not _on_the_cpu(_reference(before, expert), after.cpu):
        return "on the CPU it prints something else"
    if before.accelerator.well and not after.accelerator.well:
        return f"on the accelerator it ran before: {after.accelerator.error}"
    if after.accelerator.well and not any(
        _on_the_accelerator(ran, after.accelerator)
        for ran in (before.accelerator, expert.accelerator)
        if ran.well
    ):
        return "on the accelerator it prints something else"
    if before.accelerator.well and _less(after.accelerator, before.accelerator):
        return f"on the accelerator it computes less: {_shares(before, after)}"
    return ""


def _lack(before: Seen, expert: Seen, after: Seen) -> str:
    """What it does not do that the expert's does."""
    if not after.cpu.well:
        return f"on the CPU: {after.cpu.error}"
    if not after.accelerator.well:
        return f"on the accelerator: {after.accelerator.error}"
    if not _on_the_accelerator(expert.accelerator, after.accelerator):
        return "on the accelerator it prints something else than the expert's"
    if _less(after.accelerator, expert.accelerator):
        return f"on the accelerator it computes less than the expert's: {_shares(expert, after)}"
    return ""


def _reference(before: Seen, expert: Seen) -> Ran:
    """What has to be printed on the CPU."""
    return before.cpu if before.cpu.well else expert.cpu


def _on_the_cpu(one: Ran, two: Ran) -> bool:
    return same_text(_lasting(one.printed), _lasting(two.printed))


def _on_the_accelerator(one: Ran, two: Ran) -> bool:
    return same_numbers(_lasting(one.printed), _lasting(two.printed))


def _lasting(printed: str) -> str:
    return _TIMES.sub("", printed)


def _less(one: Ran, two: Ran) -> bool:
    return (one.share or 0.0) < (two.share or 0.0) - NEAR


def _shares(one: Seen, two: Seen) -> str:
    return f"{two.accelerator.share or 0.0:.0%} instead of {one.accelerator.share or 0.0:.0%}"


def _tells(ran: Ran, bug: Bug) -> bool:
    """Whether it says the error; pytest prints those of tests."""
    return bug.error in ran.said or bug.error in ran.printed


def faults(bug: Bug, before: Seen, expert: Seen) -> list[str]:
    """What is wrong with an entry itself: each part has to do what its meta says."""
    found = []
    if not (expert.cpu.well and expert.accelerator.well):
        found.append(f"the fix fails: {expert.cpu.error} / {expert.accelerator.error}")
    if before.cpu.well and not _on_the_cpu(before.cpu, expert.cpu):
        found.append("the fix prints something else on the CPU")
    if not expert.cpu.printed.strip():
        found.append("nothing is printed")
    if bug.shows == "cpu-error":
        if before.cpu.well or not _tells(before.cpu, bug):
            found.append(f"it should fail on the CPU: {before.cpu.error}")
    elif not before.cpu.well:
        found.append(f"it should run on the CPU: {before.cpu.error}")
    if bug.shows == "error" and (before.accelerator.well or not _tells(before.accelerator, bug)):
        found.append(f"it should fail on the accelerator: {before.accelerator.error}")
    if bug.shows == "share" and not (
        before.accelerator.well and (before.accelerator.share or 0.0) <= bug.share
    ):
        found.append(f"too much on the accelerator: {before.accelerator.share}")
    if bug.shows == "share" and not _less(before.accelerator, expert.accelerator):
        found.append(f"the fix moves nothing: {_shares(before, expert)}")
    if bug.shows == "values" and (
        not before.accelerator.well or _on_the_accelerator(before.accelerator, expert.accelerator)
    ):
        found.append("it should print something else on the accelerator")
    return found
