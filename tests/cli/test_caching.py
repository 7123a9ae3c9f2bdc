"""Whether a check remembers is for the user to say."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from devicefix.cli import main

SOURCE = "import torch\nx = torch.ones(3).cuda()\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "a.py"
    file.write_text(SOURCE)
    return file


def kept() -> int:
    return len(list(Path(os.environ["DEVICEFIX_CACHE_DIR"]).rglob("*.json")))


def test_a_check_is_remembered_where_the_variable_says(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = []
    for _ in range(2):
        assert main(["check", str(file)]) == 1
        said.append(capsys.readouterr().out)
        assert kept() == 1
    assert said[0] == said[1]


def test_not_with_the_option(file: Path) -> None:
    assert main(["check", "--no-cache", str(file)]) == 1
    assert kept() == 0


def test_not_with_the_setting(file: Path) -> None:
    (file.parent / "pyproject.toml").write_text("[tool.devicefix]\ncache = false\n")
    assert main(["check", str(file)]) == 1
    assert kept() == 0


def test_not_with_a_baseline(file: Path) -> None:
    baseline = str(file.parent / "known.json")
    assert main(["baseline", "--baseline", baseline, str(file)]) == 0
    assert main(["check", "--baseline", baseline, str(file)]) == 0
    assert kept() == 0
