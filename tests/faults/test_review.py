"""What was decided in a review is kept as a whole, and what is written of it is told."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import pytest

from tests.faults.ground import Ground
from tests.faults.injection import WRITES, Action, Ended, Fault
from tests.faults.test_each_call import FAILURES
from tests.faults.trees import TOGETHER, held

_SESSION: Final = """\
import sys
from pathlib import Path
from devicefix.engine import EngineError, runner
from devicefix.proposals import ReviewSession, Store
from devicefix.proposals.verdicts import Verdict

trial = runner.Rehearsal()
status = 0
try:
    session = ReviewSession(trial, Store([Path()]))
    print("resumed", session.resumed)
    session.decide([p.id for p in session.state.proposals], Verdict.ACCEPTED)
    print("decided")
    if {writes}:
        report = session.write()
        print("wrote", *(result.path for result, _ in report.changes))
        status = 2 if report.errors else 0
        for error in report.errors:
            print(error, file=sys.stderr)
except EngineError as error:
    print(f"Error: {{error}}", file=sys.stderr)
    status = 2
"""
DECIDES: Final = _SESSION.format(writes=False)
WRITES_TOO: Final = _SESSION.format(writes=True)


def faults(way: Sequence[Fault]) -> Iterator[Fault]:
    kinds = itertools.cycle(way)
    return (replace(next(kinds), nth=nth, kinds=WRITES) for nth in itertools.count(1))


WAYS: Final = {"killed": [Fault(action=Action.KILL_BEFORE)], "failing": FAILURES}


def run(ground: Ground, program: str, fault: Fault | None = None) -> Ended:
    return ground.injector.run(ground.top, program=program, prepared=True, fault=fault)


@pytest.mark.parametrize("way", WAYS)
def test_what_was_decided(ground: Ground, way: str) -> None:
    for fault in faults(WAYS[way]):
        ground.begin()
        ended = run(ground, DECIDES, fault)
        if len(ended.calls) < fault.nth:
            assert ended.status == 0, ended
            break
        if way == "failing":
            assert ended.status in (0, 2), ended
            assert ("Error: cannot save the decisions: " in ended.err) is (ended.status == 2)
            assert ("decided" in ended.out) is (ended.status == 0)
        again = run(ground, DECIDES)
        assert again.status == 0, again
        assert again.out.split()[1] in ("0", "2"), again
        if ended.status == 0:
            assert "resumed 2" in again.out
    assert fault.nth > 5


def test_what_is_written_is_told(ground: Ground) -> None:
    for fault in faults(FAILURES):
        ground.begin()
        ended = run(ground, WRITES_TOO, fault)
        if len(ended.calls) < fault.nth:
            assert ended.status == 0, ended
            break
        now = held(ground.top)
        assert all(now[name] in (ground.old[name], ground.new[name]) for name in now)
        if "could not be reverted" not in ended.err:
            told = {name for name in now if name in ended.out}
            assert told == {name for name in now if now[name] != ground.old[name]}, ended
            assert len(told.intersection(TOGETHER)) in (0, len(TOGETHER))
            assert ended.status == (0 if ended.err == "" else 2)
        if now != ground.old:
            ended = ground.injector.run(ground.top, "undo")
            assert held(ground.top) == ground.old, ended
    assert fault.nth > 30
