from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from devicefix.engine.writing import WriteRefusedError, digest, replace_file


def test_keeps_mode_bits_and_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    path.write_bytes(b"old")
    path.chmod(0o754)
    replace_file(path, b"new", digest(b"old"))
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o754
    assert list(tmp_path.iterdir()) == [path]


def test_rewrites_the_target_of_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    target = tmp_path / "real/x.py"
    target.write_bytes(b"old")
    link = tmp_path / "link.py"
    link.symlink_to("real/x.py")
    replace_file(link, b"new", digest(b"old"))
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_refuses_a_file_that_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    path.write_bytes(b"theirs")
    with pytest.raises(WriteRefusedError, match="changed in the meantime"):
        replace_file(path, b"new", digest(b"old"))
    assert path.read_bytes() == b"theirs"
    assert list(tmp_path.iterdir()) == [path]


def test_refuses_what_is_gone_or_read_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(WriteRefusedError, match="no longer there"):
        replace_file(tmp_path / "gone.py", b"new", digest(b"old"))
    path = tmp_path / "x.py"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write anything
    with pytest.raises(WriteRefusedError, match="read-only"):
        replace_file(path, b"new", digest(b"old"))


def test_a_failure_leaves_the_file_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.py"
    path.write_bytes(b"old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space"):
        replace_file(path, b"new", digest(b"old"))
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
