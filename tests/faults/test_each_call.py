"""Each call with which a run changes something fails, and each is the last of a process."""

from __future__ import annotations

import errno
import itertools
import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import pytest

from tests.faults.ground import Ground
from tests.faults.injection import WRITES, Action, Fault, Kinds

_SPACE: Final = Kinds.SPACE
FAILURES: Final = (
    Fault(action=Action.FAIL, error=errno.ENOSPC, kinds=_SPACE, lasting=True),
    Fault(action=Action.SHORT, error=errno.ENOSPC, kinds=_SPACE, lasting=True),
    Fault(action=Action.FAIL, error=errno.EDQUOT, kinds=_SPACE),
    Fault(action=Action.FAIL, error=errno.EROFS, lasting=True),
    Fault(action=Action.FAIL, error=errno.EACCES),
    Fault(action=Action.FAIL, error=errno.EIO),
    Fault(action=Action.FAIL, error=errno.EIO, lasting=True),
    Fault(action=Action.FAIL, error=errno.EMFILE, kinds=Kinds.OPENS, lasting=True),
)


COMMANDS: Final = {"apply": ("apply", "."), "undo": ("undo",)}


@pytest.mark.parametrize("command", COMMANDS)
def test_killed_before_any_call(ground: Ground, command: str) -> None:
    for nth in itertools.count(1):
        ground.begin(applied=command == "undo")
        fault = Fault(nth, Action.KILL_BEFORE)
        ended = ground.run(*COMMANDS[command], fault=fault)
        if ended.status == 0:
            break
        ground.judge(ended, fault)
    assert nth > 15


@pytest.mark.parametrize("command", COMMANDS)
def test_interrupted_before_any_call(ground: Ground, command: str) -> None:
    faults = (Fault(nth, Action.INTERRUPT) for nth in itertools.count(1))
    assert _judged(ground, command, faults) > 15


@pytest.mark.parametrize("command", COMMANDS)
def test_any_call_fails(ground: Ground, command: str) -> None:
    """One way to fail for each call, the next one for the next."""
    kinds = itertools.cycle(FAILURES)
    faults = (replace(next(kinds), nth=nth, kinds=WRITES) for nth in itertools.count(1))
    assert _judged(ground, command, faults) > 15


@pytest.mark.skipif(
    "DEVICEFIX_FAULTS" not in os.environ,
    reason="each call in each way takes a minute; DEVICEFIX_FAULTS=1 runs it",
)
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("number", range(len(FAILURES)))
def test_any_call_fails_in_any_way(ground: Ground, command: str, number: int) -> None:
    faults = (replace(FAILURES[number], nth=nth) for nth in itertools.count(1))
    assert _judged(ground, command, faults) > 0


def _judged(ground: Ground, command: str, faults: Iterator[Fault]) -> int:
    """How many calls have failed, one in each run, before a run had no such call any more."""
    for count, fault in enumerate(faults):
        ground.begin(applied=command == "undo")
        ended = ground.run(*COMMANDS[command], fault=fault)
        if len(ended.calls) < fault.nth:
            assert ended.status == 0, ended
            return count
        try:
            ground.judge(ended, fault)
        except AssertionError as error:
            raise AssertionError(f"{fault} at {ended.calls[fault.nth - 1]}: {error}") from error
    raise AssertionError("there was always another call")
