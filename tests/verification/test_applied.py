"""The trees of the last `apply`."""

from __future__ import annotations

from pathlib import Path

import pytest

from devicefix.engine import undo
from devicefix.engine.journal import record, rewritten
from devicefix.verification import LaunchError
from devicefix.verification.applied import last_apply


@pytest.fixture(autouse=True)
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEVICEFIX_STATE_DIR", str(tmp_path / "state"))


@pytest.fixture
def here(tmp_path: Path) -> Path:
    here = tmp_path / "here"
    (here / "sub").mkdir(parents=True)
    return here


def apply(*paths: Path) -> None:
    record([rewritten(str(path), b"old", b"new", ["DFX1"]) for path in paths])
    for path in paths:
        path.write_bytes(b"new")


def test_the_root_is_the_folder_that_was_asked_about(here: Path) -> None:
    apply(here / "sub/a.py", here / "sub/b.py")
    found = last_apply(here)
    assert found.before.root == found.after.root == here
    assert found.before.overlay == {"sub/a.py": b"old", "sub/b.py": b"old"}
    assert (dict(found.after.overlay), found.notes) == ({}, ())


def test_files_elsewhere_widen_the_root(here: Path) -> None:
    apply(here / "a.py", here / "sub/b.py")
    found = last_apply(here / "sub")
    assert found.before.root == here
    assert set(found.before.overlay) == {"a.py", "sub/b.py"}


def test_only_the_last_run_that_touched_the_folder_counts(here: Path, tmp_path: Path) -> None:
    apply(here / "a.py")
    apply(tmp_path / "elsewhere.py")
    assert set(last_apply(here).before.overlay) == {"a.py"}


def test_changes_since_are_named(here: Path) -> None:
    apply(here / "a.py", here / "b.py", here / "c.py")
    (here / "a.py").write_bytes(b"edited")
    (here / "b.py").unlink()
    found = last_apply(here)
    assert found.notes == (
        "a.py has changed since it was applied",
        "b.py has changed since it was applied",
    )
    assert len(found.before.overlay) == 3


def test_what_was_taken_back_is_not_part_of_it(here: Path) -> None:
    apply(here / "a.py", here / "b.py")
    (here / "a.py").write_bytes(b"old")
    assert set(last_apply(here).before.overlay) == {"b.py"}
    (here / "b.py").write_bytes(b"old")
    with pytest.raises(LaunchError, match="was reverted; run it first, or compare two folders"):
        last_apply(here)
    undo([here])
    nothing = r"no `devicefix apply` has changed anything in .*here; run it first, or "
    with pytest.raises(LaunchError, match=nothing):
        last_apply(here)


def test_a_damaged_journal(here: Path, tmp_path: Path) -> None:
    apply(here / "a.py")
    (file,) = (tmp_path / "state/journal").iterdir()
    file.write_text("{")
    with pytest.raises(LaunchError, match="cannot read the journal"):
        last_apply(here)
