from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from devicefix.engine.reading import LARGEST, read_relevant
from devicefix.engine.report import FileFailedError


def test_passes_over_what_does_not_mention_torch(tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    path.write_bytes(b"\0 not even Python")
    assert read_relevant(path) is None
    path.write_bytes(b"")
    assert read_relevant(path) is None
    path.write_bytes(b"import torch\r\n")
    assert read_relevant(path) == b"import torch\r\n"


def test_refuses_generated_files(tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    path.write_bytes(b"import torch\n" + b"x = 1\n" * (LARGEST // 6))
    with pytest.raises(FileFailedError, match=r"5\.0 MB, more than 5 MB: probably generated"):
        read_relevant(path)
    path.write_bytes(b"x = 1\n" * (LARGEST // 3))
    assert read_relevant(path) is None


def test_names_what_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileFailedError, match="no such file"):
        read_relevant(tmp_path / "gone.py")
    with pytest.raises(FileFailedError, match="is a directory"):
        read_relevant(tmp_path)


def test_notices_a_file_that_changes_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.py"
    path.write_bytes(b"import torch\n")
    fstat = os.fstat
    calls: list[int] = []

    def touching(handle: int) -> Any:
        status = fstat(handle)
        if not calls:
            calls.append(handle)
            path.write_bytes(b"import torch as t\n")
        return status

    monkeypatch.setattr(os, "fstat", touching)
    with pytest.raises(FileFailedError, match="changed while it was read"):
        read_relevant(path)
