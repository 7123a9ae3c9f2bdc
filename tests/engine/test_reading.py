from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import pytest

from devicefix.engine import reading
from devicefix.engine.reading import LARGEST, load, scan
from devicefix.engine.report import FileFailedError


def test_says_whether_torch_is_mentioned(tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    path.write_bytes(b"\0 not even Python")
    assert not scan(path).mentions_torch
    path.write_bytes(b"")
    assert not scan(path).mentions_torch
    path.write_bytes(b"import torch\r\n")
    assert scan(path).mentions_torch
    assert load(path).text == "import torch\r\n"


def test_refuses_generated_files(tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    path.write_bytes(b"import torch\n" + b"x = 1\n" * (LARGEST // 6))
    with pytest.raises(FileFailedError, match=r"5\.0 MB, more than 5 MB: probably generated"):
        scan(path)
    path.write_bytes(b"x = 1\n" * (LARGEST // 3))
    assert not scan(path).mentions_torch
    with pytest.raises(FileFailedError, match="probably generated"):
        load(path)


def test_does_not_read_what_no_memory_holds(tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    path.touch()
    os.truncate(path, 10**12)  # a hole
    with pytest.raises(FileFailedError, match=r"1000000\.0 MB, more than 100 MB"):
        scan(path)


def test_names_what_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileFailedError, match="no such file"):
        scan(tmp_path / "gone.py")
    with pytest.raises(FileFailedError, match="is a directory"):
        scan(tmp_path)


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
        scan(path)


_PIECES = (
    *("import", "from", " ", " ", "\n", "\\\n", ";", ":", "a", ".", "(", ")", ",", "\t", "\f"),
    *("\ufeff", "#", "importx", "ximport", "'", "\\\n" * 9, "\r\n"),
)


def test_finds_the_statements_that_its_pattern_finds() -> None:
    """It looks only where the word is, which must leave out none and add none."""
    chance = random.Random(1)
    count = 0
    for _ in range(3_000):
        text = "".join(chance.choices(_PIECES, k=chance.randint(1, 30))).encode()
        found = list(reading._statements(text))
        assert found == reading._IMPORT.findall(text), text
        count += len(found)
    assert count > 200


def test_a_hostile_text_is_scanned_in_a_bearable_time(tmp_path: Path) -> None:
    """Each line continues the one before: looking back again and again would take an hour."""
    file = tmp_path / "long.py"
    file.write_bytes(b"import torch\nx = 1 " + b"ximport \\\n" * 200_000 + b"\nimport last\n")
    assert scan(file).statements == ("import torch", "import last")


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("print 1\n", True),
        ("x\n\tprint >>f\n", True),
        ("print(1)\n", False),
        ("x; print 1\n", False),
    ],
)
def test_knows_statements_of_python_2(tmp_path: Path, text: str, old: bool) -> None:
    (tmp_path / "a.py").write_text(text)
    assert scan(tmp_path / "a.py").looks_old is old
