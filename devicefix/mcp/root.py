"""The folder that an agent may use."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct


class RefusedError(Exception):
    """What an agent asks for cannot be done; the message says what to do instead."""


class Root(Struct, frozen=True):
    """A folder; paths are understood from there, and stay inside."""

    folder: Path
    """Absolute, without links."""

    @classmethod
    def of(cls, folder: Path) -> Root:
        """The root at ``folder``."""
        return cls(Path(os.path.realpath(folder)))

    def path(self, name: str) -> Path:
        """An existing path, relative to the folder. Raises `RefusedError`."""
        if "\0" in name:
            raise RefusedError("a path cannot contain a null character")
        place = Path(os.path.realpath(self.folder / name))
        if not place.is_relative_to(self.folder):
            raise RefusedError(
                f"{name} is outside {self.folder}, the only folder that this server uses; for "
                "another one, start it with `devicefix mcp --root FOLDER`"
            )
        if not place.exists():
            raise RefusedError(f"{name} does not exist; paths are relative to {self.folder}")
        return Path(os.path.relpath(place, self.folder))

    def paths(self, names: Sequence[str]) -> tuple[Path, ...]:
        """Several of them; the folder itself where there are none. Raises `RefusedError`."""
        return tuple(map(self.path, names)) or (Path(),)

    def file(self, name: str) -> Path:
        """An existing file. Raises `RefusedError`."""
        path = self.path(name)
        if not (self.folder / path).is_file():
            raise RefusedError(f"{name} is a folder; name a file in it")
        return path
