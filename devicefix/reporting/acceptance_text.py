"""What became of fixes that had to pass a verification, for people."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, TextIO

from devicefix.engine import AppliedGroup
from devicefix.reporting import text
from devicefix.reporting.diff import show_diff
from devicefix.reporting.terminal import console, printable
from devicefix.reporting.verify_text import show_verification
from devicefix.verification.acceptance import Acceptance, Decision, Unproven
from devicefix.verification.result import Role, Verdict

if TYPE_CHECKING:
    from devicefix.reporting.account import Account

_PLACES: Final = 4
_GROUPS: Final = 10


def show(found: Acceptance, account: Account, out: TextIO, told: bool = False) -> None:
    """All of it; ``told``: why it was refused is on the screen already."""
    if found.decision is Decision.REJECTED and not told:
        show_refusal(found, out)
    show_acceptance(found, account.written, account.again, out)


def show_acceptance(found: Acceptance, written: bool, again: Sequence[str], out: TextIO) -> None:
    """The evidence, what it decided, and what was done about it; not what `show_refusal` shows.

    ``again``: the options and paths of `apply` with which the rest would be written.
    """
    if found.decision is Decision.REJECTED:
        _show_rest(found, written, again, out)
    elif found.refusal is not None:
        show_verification(found.refusal, out)
        print(f"Nothing was written: {_why_unknown(found)}", file=out)
    if found.verification is not None and (written or found.decision is Decision.ACCEPTED):
        show_verification(found.verification, out)
        _show_groups(found, out)
    if written or found.decision in {Decision.ACCEPTED, Decision.NOTHING}:
        if found.verification is None:
            _show_groups(found, out)
        text.show_apply(found.report, out, dry_run=not written)


def show_refusal(found: Acceptance, out: TextIO) -> None:
    """Why not all fixes were accepted, and which are at fault."""
    screen = console(out)
    if found.refusal is not None:
        show_verification(found.refusal, out)
    for number, one in enumerate(found.guilty[:_GROUPS]):
        if not number:
            screen.print(f"At fault ({_count(found.trials, 'verification')}):", style="bold red")
        screen.print(f"  {_group(one.group)}")
        for path, change in one.changes:
            show_diff(path, change, out)
    if len(found.guilty) > _GROUPS:
        screen.print(f"  and {len(found.guilty) - _GROUPS} more groups")
    if not found.guilty:
        screen.print(_nobody(found), style="bold")
    if found.exhausted:
        screen.print(f"The search ended after {found.trials} verifications; there may be more.")


def question(found: Acceptance) -> str:
    """Whether the rest is to be written."""
    count = len(found.report.groups)
    return f"It passes with {_others(count)}. Write {'them' if count > 1 else 'it'}?"


def _show_rest(found: Acceptance, written: bool, again: Sequence[str], out: TextIO) -> None:
    if written:
        print("The rest was written:", file=out)
        return
    print("Nothing was written.", file=out)
    if found.has_rest:
        rest = _others(len(found.report.groups))
        print(f"It passes with {rest}, which this writes:", file=out)
        print(f"  devicefix apply {shlex.join(again)}", file=out)


def _show_groups(found: Acceptance, out: TextIO) -> None:
    """How sure the groups are that were accepted, and which unsafe ones were not."""
    screen = console(out)
    if found.verification is not None:
        screen.print(_counts(found), style="bold")
    for title, lines in _kinds(found):
        if lines:
            screen.print(f"{title}:", style="bold")
            for line in lines[:_GROUPS]:
                screen.print(f"  {line}")
            if len(lines) > _GROUPS:
                screen.print(f"  and {len(lines) - _GROUPS} more")


def _counts(found: Acceptance) -> str:
    count, proven = len(found.report.groups), len(found.proven)
    upgraded = f", {proven} of them unsafe and proven by the run" if proven else ""
    left = f"; {len(found.unproven)} unsafe left" if found.unproven else ""
    trials = _count(found.trials, "verification")
    return f"Passed with {_groups(count)}{upgraded}{left} ({trials})."


def _kinds(found: Acceptance) -> Iterator[tuple[str, list[str]]]:
    yield "Unsafe, proven by the run", [_group(group) for group in found.proven]
    yield "Unsafe, not proven, and left", list(map(_reasoned, found.unproven))
    yield "Not reached by the run as a whole", list(map(_reasoned, found.idle))


def _reasoned(one: Unproven) -> str:
    return f"{_group(one.group)}: {printable(one.reason)}"


def _group(group: AppliedGroup) -> str:
    """A group by its rules and places."""
    places = list(dict.fromkeys(f.where for f in group.findings))
    more = f" and {len(places) - _PLACES} more" if len(places) > _PLACES else ""
    return printable(f"{' '.join(group.codes)} {', '.join(places[:_PLACES])}{more}")


def _nobody(found: Acceptance) -> str:
    """What is said where no group is at fault."""
    refusal = found.refusal
    if found.exhausted or refusal is None:
        return "Which fixes are at fault was not found out."
    if len(found.idle) == len(found.report.groups):
        return (
            "No group of fixes was reached as a whole: name a command that runs what they change."
        )
    if refusal.verdict is Verdict.NOT_MOVED:
        return "No fix takes anything back from the accelerator, and none brings anything there."
    failed = next((c.device for c in refusal.comparisons if c.verdict is refusal.verdict), "")
    before = refusal.run(Role.BEFORE, failed)
    if before is not None and before.failure is not None:
        return f"It fails on {failed} before the fixes, too, and no part of them mends that."
    return "No part of the fixes passes, and none is at fault alone."


def _why_unknown(found: Acceptance) -> str:
    refusal = found.refusal
    if refusal is not None and refusal.verdict is Verdict.NO_BASELINE:
        return (
            "before the fixes the program runs nowhere, so there is nothing to compare with. "
            "`devicefix apply` without --verify writes them (see docs/apply-verify.md)."
        )
    return "it could not be verified (see docs/apply-verify.md)."


def _others(count: int) -> str:
    return "the other group of fixes" if count == 1 else f"the other {_groups(count)}"


def _groups(count: int) -> str:
    return _count(count, "group") + " of fixes"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + "s" * (number != 1)
