from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from devicefix.engine import JournalError, undo
from devicefix.engine import journal as journal_module
from devicefix.engine.journal import record, rewritten

LINE = {"path": "/x.py", "before": "0", "after": "1", "codes": ["DFX1"], "original": "eA=="}


def applied(path: Path, before: bytes, after: bytes) -> None:
    record([rewritten(str(path), before, after, ["DFX1"])])
    path.write_bytes(after)


def test_undo_goes_back_run_by_run(tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    applied(path, b"one\r\n", b"two")
    applied(path, b"two", b"three")
    assert undo().restored == (str(path),)
    assert path.read_bytes() == b"two"
    undo()
    assert path.read_bytes() == b"one\r\n"
    with pytest.raises(JournalError, match="nothing to undo"):
        undo()


def test_undo_with_paths_takes_the_last_run_that_touched_them(tmp_path: Path) -> None:
    first, second = tmp_path / "a/x.py", tmp_path / "b/y.py"
    first.parent.mkdir()
    second.parent.mkdir()
    applied(first, b"1", b"2")
    applied(second, b"3", b"4")
    assert undo([first.parent]).restored == (str(first),)
    assert (first.read_bytes(), second.read_bytes()) == (b"1", b"4")
    with pytest.raises(JournalError, match=r"nothing to undo for .*x\.py"):
        undo([first])
    assert undo([second]).restored == (str(second),)


def test_undo_without_paths_leaves_other_projects_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, other = tmp_path / "mine/src/x.py", tmp_path / "other/y.py"
    for path in (mine, other):
        path.parent.mkdir(parents=True)
        monkeypatch.chdir(path.parent)
        applied(path, b"old", b"new")
    monkeypatch.chdir(tmp_path / "mine")
    assert undo().restored == (str(mine),)
    with pytest.raises(JournalError, match="nothing to undo in this folder; name paths to undo an"):
        undo()
    assert other.read_bytes() == b"new"
    assert undo([other.parent]).restored == (str(other),)


def test_undo_takes_back_what_was_started_here_and_written_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, here = tmp_path / "x.py", tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    applied(path, b"old", b"new")
    assert undo().restored == (str(path),)


def test_files_of_one_run_can_be_undone_apart(tmp_path: Path) -> None:
    x, y = tmp_path / "x.py", tmp_path / "y.py"
    record([rewritten(str(p), b"old", b"new", ["DFX1"]) for p in (x, y)])
    x.write_bytes(b"new")
    y.write_bytes(b"new")
    assert undo([x]).restored == (str(x),)
    assert undo().restored == (str(y),)


def test_undo_refuses_what_has_changed_since_and_does_the_rest(tmp_path: Path) -> None:
    x, y, z = (tmp_path / name for name in ("x.py", "y.py", "z.py"))
    record([rewritten(str(p), b"old", b"new", ["DFX1"]) for p in (x, y, z)])
    x.write_bytes(b"edited by hand")
    y.write_bytes(b"new")
    report = undo()
    assert report.restored == (str(y),)
    assert [str(error) for error in report.errors] == [
        f"{x}: error: not restored: it was changed in the meantime",
        f"{z}: error: not restored: it no longer exists",
    ]
    assert x.read_bytes() == b"edited by hand"
    x.write_bytes(b"new")
    assert undo([x]).restored == (str(x),)


def test_a_run_that_died_before_writing_is_undone_too(tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    record([rewritten(str(path), b"old", b"new", ["DFX1"])])
    path.write_bytes(b"old")
    assert undo().errors == ()
    assert path.read_bytes() == b"old"


def test_the_journal_is_private_and_bounded(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "ENTRIES_KEPT", 3)
    for _ in range(5):
        applied(tmp_path / "x.py", b"old", b"new")
    entries = list((state / "journal").iterdir())
    assert len(entries) == 3
    assert {stat.S_IMODE(entry.stat().st_mode) for entry in entries} == {0o600}
    assert stat.S_IMODE((state / "journal").stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "content",
    [
        *("{", "[]", '{"format": 9, "files": []}', '{"format": 1}', "[" * 5_000),
        *(json.dumps({"format": 1, "files": [{**LINE, key: 0}]}) for key in ("path", "before")),
        json.dumps({"format": 1, "files": [{**LINE, "codes": [None]}]}),
    ],
)
def test_a_damaged_entry_is_named(state: Path, content: str) -> None:
    (state / "journal").mkdir(parents=True)
    entry = state / "journal/1.json"
    entry.write_text(content)
    with pytest.raises(JournalError, match=r"1\.json"):
        undo()


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        ([], "nothing to undo$"),
        (["/a/b/x.py", "/a/c/y.py"], "nothing to undo in this folder; (?!.*/a)"),
    ],
)
def test_it_does_not_say_where_others_wrote(state: Path, paths: list[str], message: str) -> None:
    (state / "journal").mkdir(parents=True)
    lines = [{**LINE, "path": path} for path in paths]
    (state / "journal/1.json").write_text(json.dumps({"format": 1, "files": lines}))
    with pytest.raises(JournalError, match=message):
        undo()


def test_what_a_file_held_cannot_be_read(tmp_path: Path, state: Path) -> None:
    file = tmp_path / "x.py"
    applied(file, b"old", b"new")
    (entry,) = (state / "journal").iterdir()
    entry.write_text(entry.read_text().replace("b2xk", "x"))
    with pytest.raises(JournalError, match=r"cannot read the journal: .*\.json"):
        undo([file])
    assert file.read_bytes() == b"new"


def test_an_entry_says_what_was_applied(tmp_path: Path, state: Path) -> None:
    applied(tmp_path / "x.py", b"old", b"new")
    (entry,) = (state / "journal").iterdir()
    (file,) = json.loads(entry.read_text())["files"]
    assert file["path"] == str(tmp_path / "x.py")
    assert file["codes"] == ["DFX1"]
    assert file["before"] != file["after"]
