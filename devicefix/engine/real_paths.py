"""The real paths of many files: what their folder really is, is asked once."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

_PLAIN: Final = sys.platform != "win32"
"""Whether a name in a real folder is the real name; Windows may know it by another case."""


class RealPaths:
    """`os.path.realpath`, for as long as no folder becomes a link."""

    def __init__(self) -> None:
        self._folders: dict[str, str] = {}

    def __call__(self, path: Path | str) -> str:
        """The path of the same file without links."""
        folder, name = os.path.split(path)
        if not _PLAIN or name in ("", ".", "..") or os.path.islink(path):  # noqa: PTH114
            return os.path.realpath(path)
        real = self._folders.get(folder)
        if real is None:
            real = self._folders[folder] = os.path.realpath(folder)
        return os.path.join(real, name)  # noqa: PTH118  pathlib takes ten times as long
