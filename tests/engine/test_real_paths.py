from __future__ import annotations

import os
from pathlib import Path

import pytest

from devicefix.engine.real_paths import RealPaths


def test_says_what_the_system_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.py").touch()
    (folder / "link.py").symlink_to("a.py")
    (tmp_path / "other").symlink_to("folder")
    monkeypatch.chdir(folder)
    real = RealPaths()
    names = (
        *("a.py", "link.py", "missing.py", ".", "..", "", "../other/a.py", "../other/link.py"),
        *(str(tmp_path / "other" / "a.py"), str(tmp_path / "other"), "/", "/missing", "b/../a.py"),
    )
    assert [real(name) for name in names] == [os.path.realpath(name) for name in names]
