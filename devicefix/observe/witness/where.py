"""The program's line, as an event holds it."""

from __future__ import annotations

import linecache
import os
from pathlib import Path
from types import FrameType
from typing import Any, Final

from devicefix.simulator.places import KINDS, Kind, site

_STARTED_IN: Final = str(Path.cwd())
"""Relative names of files, such as that of the script in older Pythons, are meant from here."""

_KNOWN: Final[dict[tuple[str, int, str], list[Any]]] = {}


def line_of(frame: FrameType | None) -> list[Any] | None:
    """File, line, function and text of the program's innermost line below ``frame``."""
    here = site(frame)
    if here is None:
        return None
    code, line, _ = here
    key = (code.co_filename, line, code.co_name)
    known = _KNOWN.get(key)
    if known is None:
        text = linecache.getline(code.co_filename, line).strip()
        known = _KNOWN[key] = [absolute(code.co_filename), line, code.co_name, text]
    return known


def absolute(file: str) -> str:
    """``file`` seen from the root; pseudo files such as ``<stdin>`` as they are."""
    return file if file.startswith("<") else os.path.join(_STARTED_IN, file)  # noqa: PTH118


def in_torch(frame: FrameType | None) -> bool:
    """Whether the innermost frame that counts is torch's own."""
    while frame is not None:
        kind = KINDS[frame.f_code.co_filename]
        if kind is not Kind.HIDDEN:
            return kind is Kind.TORCH
        frame = frame.f_back
    return False
