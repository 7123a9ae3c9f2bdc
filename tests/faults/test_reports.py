"""What is written besides sources: a baseline, a report, what was decided, the cache, stdout."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from tests.faults.injection import WRITES, Action, Ended, Fault, Injector
from tests.faults.test_each_call import FAILURES
from tests.faults.trees import held, plant, unfinished

_SMALL: Final = b"""\
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(torch.nn.Linear(2, 2).to(device)(torch.randn(3, 2)))
"""
_FULL: Final = Path("/dev/full")


class Command:
    """A run that writes a file."""

    def __init__(self, injector: Injector, top: Path, *arguments: str, old: Mapping[str, bytes]):
        self._injector, self._top, self._arguments = injector, top, arguments
        self.before = {"small.py": _SMALL, **old}
        self.begin()
        self._injector.run(self._top, "rules", prepare=True)
        self.expected = self.run()
        self.after = held(top)

    def begin(self) -> None:
        plant(self._top, self.before)

    def run(self, fault: Fault | None = None) -> Ended:
        return self._injector.run(self._top, *self._arguments, fault=fault, prepared=True)

    def judge(self, ended: Ended, fault: Fault) -> None:
        now = held(self._top)
        assert now in (self.before, self.after)
        if fault.action is Action.KILL_BEFORE:
            assert ended.status == -9
        else:
            self._judge_words(ended, done=now == self.after)
        again = self.run()
        assert held(self._top) == self.after
        assert again.status == self.expected.status
        assert unfinished(self._top) == []

    def _judge_words(self, ended: Ended, done: bool) -> None:
        assert "Traceback" not in ended.err, ended.err
        assert ended.status == self.expected.status if done else 2, ended
        if not done:
            last = ended.err.splitlines()[-1]
            assert last.startswith("Error: "), ended
            assert ".json" in last or ".sarif" in last, ended


@pytest.mark.parametrize("failing", [False, True], ids=["killed", "failing"])
@pytest.mark.parametrize(
    ("arguments", "old"),
    [
        (("baseline", "."), {}),
        (("check", "--no-cache", "--output-file", "report.sarif", "."), {"report.sarif": b"older"}),
    ],
    ids=["baseline", "report"],
)
def test_a_file_is_whole_or_as_it_was(
    injector: Injector,
    tmp_path: Path,
    arguments: Sequence[str],
    old: Mapping[str, bytes],
    failing: bool,
) -> None:
    command = Command(injector, tmp_path / "top", *arguments, old=old)
    ways = itertools.cycle(FAILURES if failing else [Fault(action=Action.KILL_BEFORE)])
    for nth in itertools.count(1):
        fault = replace(next(ways), nth=nth, kinds=WRITES)
        command.begin()
        ended = command.run(fault)
        if len(ended.calls) < nth:
            break
        command.judge(ended, fault)
    assert nth > 3


@pytest.mark.skipif(not _FULL.exists(), reason="needs /dev/full, a disk that is full")
@pytest.mark.parametrize(
    "arguments", [("check", "."), ("apply", "--dry-run", "."), ("apply", "."), ("rules",)]
)
def test_a_full_disk_behind_stdout_is_one_line(
    injector: Injector, tmp_path: Path, arguments: Sequence[str]
) -> None:
    """Whoever asks for a patch has to hear that it is none."""
    plant(tmp_path / "top", {"small.py": _SMALL})
    ended = injector.run(tmp_path / "top", *arguments, stdout=_FULL)
    assert ended.status == 2
    assert ended.err.splitlines()[-1] == "Error: No space left on device"
    assert "Traceback" not in ended.err
