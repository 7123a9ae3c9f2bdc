"""Several runs on one project at once."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from devicefix.engine import JournalError, journal_lock
from devicefix.engine.journal_lock import exclusive
from tests.faults.ground import Ground
from tests.faults.trees import TOGETHER, held, unfinished

_ROUNDS = 5
_BOTH = """\
import os, sys
from devicefix.cli import main

gate, go = os.pipe()
runs = []
for number, arguments in enumerate({runs!r}):
    child = os.fork()
    if not child:
        os.close(go)
        os.read(gate, 1)
        out = os.open(f"{top}/run-{{number}}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(out, 1)
        os.dup2(out, 2)
        status = main(arguments)
        sys.stdout.flush()
        os._exit(status)
    runs.append(child)
os.close(gate)
os.close(go)
ended = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in runs]
print(*ended)
sys.stdout.flush()
"""


def both(ground: Ground, *runs: list[str]) -> list[int]:
    """Their exit statuses; they begin at the same moment."""
    program = _BOTH.format(runs=runs, top=ground.top)
    known = held(ground.top) == ground.old
    ended = ground.injector.run(ground.top, program=program, prepared=known)
    assert ended.status == 0, ended
    for number in range(len(runs)):
        said = (ground.top / f"run-{number}").read_text()
        assert "Traceback" not in said, said
    return [int(status) for status in ended.out.split()]


def is_whole(ground: Ground) -> bool:
    now = held(ground.top)
    assert all(content in (ground.old[name], ground.new[name]) for name, content in now.items())
    assert unfinished(ground.top) == []
    return len({now[name] == ground.new[name] for name in TOGETHER}) == 1


def test_two_applies(ground: Ground) -> None:
    """One writes; what the other would have written has changed, and it says so."""
    for _ in range(_ROUNDS):
        ground.begin()
        assert sorted(both(ground, ["apply", "."], ["apply", "."])) == [0, 2]
        assert held(ground.top) == ground.new
        assert unfinished(ground.top) == []
        assert ground.run("undo").status == 0
        assert held(ground.top) == ground.old


def test_a_run_that_never_ends_is_not_waited_for_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEVICEFIX_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setattr(journal_lock, "_PATIENCE", 0.01)
    late = exclusive()
    with exclusive(), pytest.raises(JournalError, match="another devicefix process has held"):
        late.__enter__()
    with exclusive():
        pass


def test_runs_wait_for_each_other_on_windows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There it is a byte that is locked, and the error another one."""
    held: list[int] = []

    def locking(number: int, mode: int, count: int) -> None:
        if held:
            raise PermissionError(13, "Permission denied")
        held.append(number)

    windows = SimpleNamespace(LK_NBLCK=2, locking=locking)
    monkeypatch.setitem(sys.modules, "msvcrt", windows)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("DEVICEFIX_STATE_DIR", str(tmp_path))
    monkeypatch.setattr(journal_lock, "_PATIENCE", 0.01)
    late = exclusive()
    with exclusive(), pytest.raises(JournalError, match="another devicefix process has held"):
        late.__enter__()


def test_an_apply_and_an_undo(ground: Ground) -> None:
    """Whoever comes first: what is left fits together, and can be taken back."""
    for _ in range(_ROUNDS):
        ground.begin(applied=True)
        (ground.top / "tree" / "note.ipynb").write_bytes(ground.old["note.ipynb"])
        both(ground, ["undo", "masks.py"], ["undo", "model.py"], ["undo"])
        assert held(ground.top) == ground.old
        assert is_whole(ground)
        both(ground, ["apply", "."], ["undo"])
        assert is_whole(ground)
        ended = ground.run("undo")
        assert ended.status == 0 or re.search("nothing to undo", ended.err), ended
        assert held(ground.top) == ground.old
