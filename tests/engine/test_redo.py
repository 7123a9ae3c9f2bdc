"""What was taken back can be applied again, as long as nobody has changed the files since."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from devicefix.engine import JournalError, redo, redoable, undo, undoable
from devicefix.engine import journal as journal_module
from devicefix.engine import redoing as redoing_module
from devicefix.engine.journal import record, rewritten

OLD, NEW = b"one\r\n\xff", b"two\r\n\xff\x00"


def applied(*paths: Path, partners: Sequence[Path] = ()) -> None:
    names = [str(path) for path in partners]
    record([rewritten(str(path), OLD, NEW, ["DFX1"], names) for path in paths])
    for path in paths:
        path.write_bytes(NEW)


def test_to_and_fro_without_end(tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    applied(path)
    path.chmod(0o751)
    for _ in range(3):
        assert undo().restored == (str(path),)
        assert path.read_bytes() == OLD
        assert [run.files for run in redoable()] == [(str(path),)]
        assert redo().applied == (str(path),)
        assert path.read_bytes() == NEW
        assert [(run.files, run.codes) for run in undoable()] == [((str(path),), ("DFX1",))]
    assert path.stat().st_mode & 0o777 == 0o751
    with pytest.raises(JournalError, match="nothing to redo"):
        redo()


def test_the_last_that_was_reverted_comes_first(tmp_path: Path) -> None:
    first, second = tmp_path / "x.py", tmp_path / "y.py"
    applied(first)
    applied(second)
    undo()
    undo()
    assert redo().applied == (str(first),)
    assert redo().applied == (str(second),)


def test_a_file_that_has_changed_since_is_left_and_the_rest_is_applied(tmp_path: Path) -> None:
    x, y, z = (tmp_path / name for name in ("x.py", "y.py", "z.py"))
    applied(x, y, z)
    undo()
    x.write_bytes(b"edited by hand")
    y.unlink()
    report = redo()
    assert report.applied == (str(z),)
    assert [str(error) for error in report.errors] == [
        f"{x}: error: not applied again: it was changed after undo",
        f"{y}: error: not applied again: no such file or directory",
    ]
    assert (x.read_bytes(), z.read_bytes()) == (b"edited by hand", NEW)
    x.write_bytes(OLD)
    assert redo([x]).applied == (str(x),)


def test_files_that_share_a_fix_are_applied_together_or_not_at_all(tmp_path: Path) -> None:
    x, y = tmp_path / "x.py", tmp_path / "y.py"
    applied(x, y, partners=[x, y])
    undo()
    y.write_bytes(b"edited by hand")
    report = redo([x])
    assert report.applied == ()
    assert [error.path for error in report.errors] == [str(y), str(x)]
    assert str(y) in report.errors[1].reason
    assert x.read_bytes() == OLD
    assert undoable() == ()
    y.write_bytes(OLD)
    assert redo([x]).applied == (str(x), str(y))


def test_what_is_saved_at_the_last_moment_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.py"
    applied(path)
    undo()
    write = redoing_module.write_recorded

    def late(*given: object) -> dict[str, str]:
        path.write_bytes(b"saved")
        return write(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(redoing_module, "write_recorded", late)
    report = redo()
    assert report.applied == ()
    assert "changed" in report.errors[0].reason
    assert path.read_bytes() == b"saved"
    assert undoable() == ()


def test_other_projects_are_not_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
    monkeypatch.chdir(there)
    applied(there / "x.py")
    undo()
    monkeypatch.chdir(here)
    assert redoable() == ()
    with pytest.raises(JournalError, match="nothing to redo in this folder"):
        redo()
    assert redo([there]).applied == (str(there / "x.py"),)


def test_undo_works_where_it_cannot_be_kept_for_redo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.py"
    applied(path)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(journal_module, "write_private", full)
    assert undo().restored == (str(path),)
    assert path.read_bytes() == OLD
    assert redoable() == ()
