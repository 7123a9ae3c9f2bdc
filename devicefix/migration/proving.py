"""The second stage: a program of the repository is run before and after the fixes.

This executes what strangers wrote: in a copy, within bounds, and without what our environment
knows. It is no sandbox: the program may do what our user may.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from devicefix.migration.cloning import Clone
from devicefix.migration.orders import Ending, Limits, Order, Result
from devicefix.migration.surroundings import stripped
from devicefix.migration.working import Looked, changed_files, look, reported, worked
from devicefix.reporting import verify_json
from devicefix.reporting.account import Account
from devicefix.verification import (
    Bounds,
    LaunchError,
    check_devices,
    default_interpreter,
    find_interpreter,
)
from devicefix.verification.acceptance import Acceptance, Decision
from devicefix.verification.gate import accept
from devicefix.verification.planning import Wanted, plan, root_of
from devicefix.verification.request import Candidate
from devicefix.verification.result import Verification
from devicefix.verification.search import EnoughError
from devicefix.verification.trials import Verify
from devicefix.verification.verifying import Verifier, silent

_RUNS: Final = 8
"""One run may take this part of the time: there are four at least."""
_BEFORE_THE_LAST: Final = 0.6
"""After this part of the time no other choice of fixes is tried."""
_OWN: Final = 0.2
"""Of the memory, for ourselves."""
_MEGABYTE: Final = 1_000_000


def prove(order: Order, before: Result) -> Result:
    """Which of the fixes may be proposed, in a process of its own; ``before`` is of `rewrite`.

    Only what is wrong with devicefix itself raises.
    """
    return worked(order, before.commit, _proven)


def _proven(order: Order, found: Clone) -> Result:
    looked = look(order, found)
    with stripped():
        try:
            acceptance = _accepted(order, looked)
        except LaunchError as error:
            unproven = Result(Ending.UNPROVEN, _with_notes(str(error), found))
            return reported(unproven, Account(looked.report, "apply"), found)
    return _with_verdict(acceptance, found)


def _accepted(order: Order, looked: Looked) -> Acceptance:
    wanted = Wanted(order.verify, order.devices, _bounds(order.limits))

    def interpreter(named: str | None) -> str:
        return find_interpreter(order.python or named or default_interpreter())

    request, target = plan(wanted, root_of(looked.trial.report), interpreter, check_devices)
    with Verifier(request, target.before, silent) as verifier:
        verify = _until(verifier.verify, order.limits.seconds * _BEFORE_THE_LAST)
        return accept(looked.trial.report, verify, target.before.root)


def _bounds(limits: Limits) -> Bounds:
    megabytes = int(limits.memory * (1 - _OWN) / _MEGABYTE)
    return Bounds(limits.seconds / _RUNS, megabytes)


def _until(verify: Verify, seconds: float) -> Verify:
    """``verify``, but after the first time only for so long."""
    started = time.monotonic()
    asked: list[Candidate] = []

    def in_time(after: Candidate, devices: Sequence[str] | None) -> Verification:
        if asked and time.monotonic() - started > seconds:
            raise EnoughError
        asked.append(after)
        return verify(after, devices)

    return in_time


def _with_verdict(acceptance: Acceptance, found: Clone) -> Result:
    verification = acceptance.verification or acceptance.refusal
    ending = _ending(acceptance)
    files = changed_files(acceptance.report, found) if ending is Ending.CHANGED else ()
    result = Result(
        ending,
        _reason(acceptance, found),
        files=files,
        evidence=verify_json.render(verification) if verification is not None else "",
    )
    account = Account(
        acceptance.report, "apply", acceptance=acceptance, written=ending is Ending.CHANGED
    )
    return reported(result, account, found)


def _ending(acceptance: Acceptance) -> Ending:
    match acceptance.decision:
        case Decision.ACCEPTED if _is_beside_the_point(acceptance):
            return Ending.UNPROVEN
        case Decision.ACCEPTED:
            return Ending.CHANGED
        case Decision.NOTHING:
            return Ending.NOTHING
        case Decision.UNKNOWN:
            return Ending.UNPROVEN
        case Decision.REJECTED:
            return Ending.CHANGED if acceptance.has_rest else Ending.REJECTED


def _is_beside_the_point(acceptance: Acceptance) -> bool:
    """Whether the program never came to any of the fixes: that it passes says nothing of them."""
    return 0 < len(acceptance.report.groups) == len(acceptance.idle)


def _reason(acceptance: Acceptance, found: Clone) -> str:
    if acceptance.decision is Decision.ACCEPTED and _is_beside_the_point(acceptance):
        return _with_notes("the program runs none of the lines that are fixed", found)
    if acceptance.has_rest:
        count = len(acceptance.guilty)
        return f"passes without {count} group{'s' * (count != 1)} of fixes: {acceptance.reason}"
    if acceptance.decision is Decision.UNKNOWN:
        return _with_notes(acceptance.reason, found)
    return acceptance.reason


def _with_notes(reason: str, found: Clone) -> str:
    """Why a program may not run here although it does elsewhere."""
    return "; ".join((reason, *found.notes))
