"""A project on which runs go wrong, and what has to be true of it afterwards."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.faults.injection import Action, Ended, Fault, Injector, Kinds
from tests.faults.trees import SOURCES, TOGETHER, held, plant, unfinished

_INTERRUPTED: Final = 130
_CHANCE: Final = re.compile(r"\d{20}-\d+|(?<=\.devicefix-)\w{8}")
"""Time and process in the name of a journal's entry, and the middle of a temporary name."""


class Ground:
    """The project in its two states: as it was, and as `apply` leaves it."""

    def __init__(self, injector: Injector, folder: Path) -> None:
        self.injector = injector
        self.top = folder / "ground"
        self._kept = folder / "kept"
        self._saved = folder / "saved"
        self._proven: set[object] = set()
        self.old: Mapping[str, bytes] = SOURCES
        plant(self.top)
        ended = injector.run(self.top, "apply", ".", prepare=True)
        assert ended.status == 0, ended.err
        self.new: Mapping[str, bytes] = held(self.top)
        assert all(self.new[name] != self.old[name] for name in self.old)
        shutil.copytree(self.top, self._kept)

    def begin(self, applied: bool = False) -> None:
        """As it was, or right after `apply`."""
        if applied:
            self._put(self._kept)
        else:
            plant(self.top)

    def run(self, *arguments: str, fault: Fault | None = None, clock: float = 0.0) -> Ended:
        """One run; what `apply` would find in the project as it was need not be found out."""
        known = held(self.top) == self.old
        return self.injector.run(self.top, *arguments, fault=fault, clock=clock, prepared=known)

    def _put(self, source: Path) -> None:
        shutil.rmtree(self.top)
        shutil.copytree(source, self.top)

    def judge(self, ended: Ended, fault: Fault) -> None:
        """Raises `AssertionError` where something was lost, or is half done for good."""
        killed = fault.action in (Action.KILL_BEFORE, Action.KILL_AFTER)
        assert (ended.status == -9) is killed, ended
        now = held(self.top)
        for name, content in now.items():
            assert content in (self.old[name], self.new[name]), f"{name} is half written"
        assert now.keys() == self.old.keys()
        if not killed:
            self._judge_words(ended)
            nothing_goes = _nothing_goes(ended, fault)
            assert unfinished(self.top) == [] or nothing_goes
            whole = len({now[name] == self.new[name] for name in TOGETHER}) == 1
            assert whole or (nothing_goes and "could not be reverted" in ended.err), "half a fix"
        state = self._state()
        if state in self._proven:
            return  # what comes of it is known
        self._proven.add(state)
        shutil.rmtree(self._saved, ignore_errors=True)
        shutil.copytree(self.top, self._saved)
        self._judge_undo()
        self._put(self._saved)
        self._judge_second_apply(killed)

    def _judge_words(self, ended: Ended) -> None:
        assert "Traceback" not in ended.err, ended.err
        assert ended.status in (0, 2, _INTERRUPTED), ended
        if ended.status == 2:
            lines = [line for line in ended.err.splitlines() if "rror: " in line]
            assert lines, ended.err
            assert any(str(self.top) in line or ".py" in line or ".ipynb" in line for line in lines)

    def _judge_undo(self) -> None:
        """`undo` brings back the original bytes, and leaves nothing about."""
        was_changed = held(self.top) != self.old
        ended = self.injector.run(self.top, "undo")
        assert held(self.top) == self.old, ended
        assert ended.status == 0 or not was_changed, ended
        if ended.status == 0:
            assert unfinished(self.top) == []

    def _judge_second_apply(self, killed: bool) -> None:
        """`apply` completes the work, and all can be taken back."""
        ended = self.run("apply", ".")
        assert ended.status == 0, ended
        assert held(self.top) == self.new, ended
        assert unfinished(self.top) == [] or not killed
        while (ended := self.injector.run(self.top, "undo")).status == 0:
            pass
        assert "nothing to undo" in ended.err
        assert unfinished(self.top) == []
        assert held(self.top) == self.old

    def _state(self) -> tuple[object, ...]:
        """All that the next run can see, but for names that are different each time."""
        found = []
        for name in ("tree", "state"):
            for path in (self.top / name).rglob("*"):
                content = path.read_bytes() if path.is_file() else b""
                found.append((_CHANCE.sub("", str(path)), path.stat().st_mode, content))
        return tuple(sorted(found))


def _nothing_goes(ended: Ended, fault: Fault) -> bool:
    """Whether the fault keeps files from being removed."""
    return Kinds.OTHERS in fault.kinds and (
        fault.lasting or ended.calls[fault.nth - 1].name == "unlink"
    )
