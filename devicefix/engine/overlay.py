"""Texts that take the place of what files hold: those of an editor, or of standard input."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct, field


class Overlay(Struct, frozen=True):
    """What is read in place of some files; all others are read from the disk.

    A file may be missing on the disk; then it counts where it is given by name.
    """

    texts: Mapping[str, bytes] = field(default_factory=dict)
    """By real path."""

    @classmethod
    def of(cls, texts: Mapping[Path, bytes]) -> Overlay:
        """Whatever way leads to a file, it is the same one."""
        return cls({os.path.realpath(path): data for path, data in texts.items()})

    def text(self, path: Path) -> bytes | None:
        """What is read in place of the file at ``path``; None where that is read itself."""
        return self.texts.get(os.path.realpath(path)) if self.texts else None


NOTHING: Final = Overlay()
"""All files are read from the disk."""
