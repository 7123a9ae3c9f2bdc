"""The pictures of the terminal in the documentation: they show what commands print now."""

from __future__ import annotations

import html
import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parent.parent
IMAGES: Final = ROOT / "docs" / "images"


@pytest.fixture(scope="module")
def take_pictures() -> Iterator[ModuleType]:
    """``scripts/take_pictures.py`` as a module."""
    pytest.importorskip("pexpect")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "scripts"))
        yield importlib.import_module("take_pictures")


def text_of(picture: str) -> list[str]:
    """Its words, in order."""
    shown = " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", picture))
    return html.unescape(shown).split()


@pytest.mark.parametrize("at", range(3))
def test_a_picture_shows_what_is_printed_now(take_pictures: ModuleType, at: int) -> None:
    session = take_pictures.SESSIONS[at]
    kept = (IMAGES / f"{session.name}.svg").read_text(encoding="utf-8")
    assert text_of(kept) == text_of(take_pictures.picture(take_pictures.shown(session)))


def test_pictures_are_small() -> None:
    assert [p.name for p in IMAGES.iterdir() if p.stat().st_size > 150_000] == []
