"""What became of fixes that had to pass a verification, in the words that reports share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from devicefix.engine import AppliedGroup
from devicefix.reporting.counting import counted
from devicefix.reporting.terminal import printable
from devicefix.verification.acceptance import Acceptance, Unproven
from devicefix.verification.result import Role, Verdict

_PLACES: Final = 4


def passed_with(found: Acceptance) -> str:
    """How many groups were accepted, and how sure they were."""
    count, proven = len(found.report.groups), len(found.proven)
    upgraded = f", {proven} of them unsafe and verified by the run" if proven else ""
    left = f"; {len(found.unproven)} unsafe not written" if found.unproven else ""
    trials = counted(found.trials, "verification")
    return f"Passed with {groups_of(count)}{upgraded}{left} ({trials})."


def kinds_of(found: Acceptance) -> Iterator[tuple[str, list[str]]]:
    """What is to be known of groups that are no simple matter: titles, and one line each."""
    yield "Unsafe, verified by the run", [group_of(group) for group in found.proven]
    yield "Unsafe, not verified, not written", list(map(_reasoned, found.unproven))
    yield "Not fully executed", list(map(_reasoned, found.idle))


def _reasoned(one: Unproven) -> str:
    return f"{group_of(one.group)}: {printable(one.reason)}"


def group_of(group: AppliedGroup) -> str:
    """A group by its rules and places."""
    places = list(dict.fromkeys(f.where for f in group.findings))
    more = f" and {len(places) - _PLACES} more" if len(places) > _PLACES else ""
    return printable(f"{' '.join(group.codes)} {', '.join(places[:_PLACES])}{more}")


def nobody_at_fault(found: Acceptance) -> str:
    """What is said where no group is at fault."""
    refusal = found.refusal
    if found.exhausted or refusal is None:
        return "Which fixes are at fault could not be determined."
    if len(found.idle) == len(found.report.groups):
        return (
            "The command did not run all lines of any group of fixes: use a command that runs "
            "what they change."
        )
    if refusal.verdict.lacks_moving:
        more = "more" if refusal.verdict is Verdict.PARTLY_MOVED else "anything"
        return f"No fix moves anything off the accelerator, and none moves {more} to it."
    failed = next((c.device for c in refusal.comparisons if c.verdict is refusal.verdict), "")
    before = refusal.run(Role.BEFORE, failed)
    if before is not None and before.failure is not None:
        return f"It also fails on {failed} before the fixes, and no part of them fixes that."
    return "No subset of the fixes passes, and no group is at fault alone."


def why_unknown(found: Acceptance) -> str:
    """Why nothing could be said of the fixes."""
    refusal = found.refusal
    if refusal is not None and refusal.verdict is Verdict.NO_BASELINE:
        return (
            "before the fixes, the program fails on every device, so there is nothing to compare "
            "with. `devicefix apply` without --verify writes them (see docs/apply-verify.md)."
        )
    return "it could not be verified (see docs/apply-verify.md)."


def the_others(count: int) -> str:
    """The groups that are not at fault."""
    return "the other group of fixes" if count == 1 else f"the other {groups_of(count)}"


def groups_of(count: int) -> str:
    """So many groups."""
    return counted(count, "group") + " of fixes"
