"""What became of fixes that had to pass a verification, for people."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TextIO

from devicefix.reporting import text
from devicefix.reporting.acceptance_words import (
    group_of,
    kinds_of,
    nobody_at_fault,
    passed_with,
    the_others,
    why_unknown,
)
from devicefix.reporting.counting import counted
from devicefix.reporting.diff import show_diff
from devicefix.reporting.terminal import console
from devicefix.reporting.verify_text import show_verification
from devicefix.verification.acceptance import Acceptance, Decision

if TYPE_CHECKING:
    from devicefix.reporting.account import Account

_GROUPS: Final = 10


def show(found: Acceptance, account: Account, out: TextIO, told: bool = False) -> None:
    """All of it; ``told``: why it was refused is on the screen already."""
    if found.decision is Decision.REJECTED and not told:
        show_refusal(found, out)
    show_acceptance(found, account.written, account.again, out, listing=account.listing)


def show_acceptance(
    found: Acceptance, written: bool, again: Sequence[str], out: TextIO, *, listing: bool = False
) -> None:
    """The evidence, what it decided, and what was done about it; not what `show_refusal` shows.

    ``again``: the options and paths of `apply` with which the rest would be written.
    """
    if found.decision is Decision.REJECTED:
        _show_rest(found, written, again, out)
    elif found.refusal is not None:
        show_verification(found.refusal, out)
        print(f"Nothing was written: {why_unknown(found)}", file=out)
    if found.verification is not None and (written or found.decision is Decision.ACCEPTED):
        show_verification(found.verification, out)
        _show_groups(found, out)
    if written or found.decision in {Decision.ACCEPTED, Decision.NOTHING}:
        if found.verification is None:
            _show_groups(found, out)
        text.show_apply(found.report, out, dry_run=not written, listing=listing, verified=True)


def show_refusal(found: Acceptance, out: TextIO) -> None:
    """Why not all fixes were accepted, and which are at fault."""
    screen = console(out)
    if found.refusal is not None:
        show_verification(found.refusal, out)
    for number, one in enumerate(found.guilty[:_GROUPS]):
        if not number:
            screen.print(f"At fault ({counted(found.trials, 'verification')}):", style="bold red")
        screen.print(f"  {group_of(one.group)}")
        for path, change in one.changes:
            show_diff(path, change, out)
    if len(found.guilty) > _GROUPS:
        screen.print(f"  and {len(found.guilty) - _GROUPS} more groups")
    if not found.guilty:
        screen.print(nobody_at_fault(found), style="bold")
    if found.exhausted:
        screen.print(f"The search ended after {found.trials} verifications; there may be more.")


def question(found: Acceptance) -> str:
    """Whether the rest is to be written."""
    count = len(found.report.groups)
    return f"It passes with {the_others(count)}. Write {'them' if count > 1 else 'it'}?"


def _show_rest(found: Acceptance, written: bool, again: Sequence[str], out: TextIO) -> None:
    if written:
        print("The rest was written:", file=out)
        return
    print("Nothing was written.", file=out)
    if found.has_rest:
        rest = the_others(len(found.report.groups))
        print(f"It passes with {rest}, which this writes:", file=out)
        print(f"  devicefix apply {shlex.join(again)}", file=out)


def _show_groups(found: Acceptance, out: TextIO) -> None:
    """How sure the groups are that were accepted, and which unsafe ones were not."""
    screen = console(out)
    if found.verification is not None:
        screen.print(passed_with(found), style="bold")
    for title, lines in kinds_of(found):
        if lines:
            screen.print(f"{title}:", style="bold")
            for line in lines[:_GROUPS]:
                screen.print(f"  {line}")
            if len(lines) > _GROUPS:
                screen.print(f"  and {len(lines) - _GROUPS} more")
