"""The page of attacks names tests and probes that are there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = ROOT / "docs" / "verification" / "attacks.md"
_ROW: Final = re.compile(r"^\| (?!---|What went wrong)(.*) \|$", re.MULTILINE)
_NAME: Final = re.compile(r"`([a-z_0-9]+)`")


def shown_by() -> list[str]:
    """What the last cell of each row of the first two tables names."""
    tables = PAGE.read_text(encoding="utf-8").partition("## What it costs")[0]
    cells = [row.rsplit(" | ", 1)[-1] for row in _ROW.findall(tables)]
    return [name for cell in cells for name in _NAME.findall(cell)]


@pytest.mark.parametrize("name", sorted(set(shown_by())))
def test_what_shows_it_is_there(name: str) -> None:
    tests = [*(ROOT / "tests").rglob("test_*.py"), *(ROOT / "tests/simulator/probes").glob("*.py")]
    assert any(f"\ndef {name}(" in path.read_text(encoding="utf-8") for path in tests), name


def test_every_line_is_read() -> None:
    assert len(shown_by()) > 30
