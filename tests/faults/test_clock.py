"""A clock that is wrong, or is put right: what counts is the order in which things were done."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from devicefix.engine import journal as journal_module
from devicefix.engine import undo
from devicefix.engine.cache_files import CacheFiles
from devicefix.engine.journal import finish, record, rewritten
from tests.faults.ground import Ground
from tests.faults.trees import held

DAY = 86_400.0


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DEVICEFIX_STATE_DIR", str(tmp_path / "state"))
    return tmp_path / "state" / "journal"


def test_undo_takes_back_the_last_run_although_the_clock_went_back(ground: Ground) -> None:
    ground.begin()
    assert ground.run("apply", ".", clock=40 * DAY).status == 0
    edited = {**ground.new, "note.ipynb": ground.old["note.ipynb"] + b"\n"}
    (ground.top / "tree" / "note.ipynb").write_bytes(edited["note.ipynb"])
    assert ground.run("apply", ".", clock=-DAY).status == 0
    assert held(ground.top) != edited
    ended = ground.run("undo")
    assert ended.status == 0, ended
    assert held(ground.top) == edited


def applied(file: Path, before: bytes, after: bytes) -> None:
    entry = record([rewritten(str(file), before, after, ["DFX1"])])
    file.write_bytes(after)
    finish(entry)


def test_what_was_written_last_is_forgotten_last(
    journal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "ENTRIES_KEPT", 3)
    now = 4_102_444_800 * 10**9  # 2100
    file = tmp_path / "x.py"
    for number in range(6):
        monkeypatch.setattr(journal_module.time, "time_ns", lambda n=number: now - n * 10**12)
        applied(file, b"%d" % number, b"%d" % (number + 1))
    assert len(list(journal.iterdir())) == 3
    for number in (5, 4, 3):
        assert undo([file]).errors == ()
        assert file.read_bytes() == b"%d" % number


def test_two_runs_of_one_moment_are_two_entries(
    journal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module.time, "time_ns", lambda: 7)
    file = tmp_path / "x.py"
    applied(file, b"one", b"two")
    applied(file, b"two", b"three")
    undo()
    assert file.read_bytes() == b"two"
    undo()
    assert file.read_bytes() == b"one"


def test_what_was_used_when_the_clock_was_ahead_does_not_stay_for_ever(tmp_path: Path) -> None:
    files = CacheFiles(tmp_path)
    for key in ("ahead", "now"):
        files.put(key, "x" * 100)
    old, new = (next(tmp_path.rglob(f"{key}.json")) for key in ("ahead", "now"))
    os.utime(old, (4_102_444_800, 4_102_444_800))
    files.tidy(most=250)
    assert not old.exists()
    assert new.exists()
    os.utime(new, (4_102_444_800, 4_102_444_800))
    assert files.get("now") is not None
    assert new.stat().st_mtime < 4_102_444_800
