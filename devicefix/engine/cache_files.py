"""Small JSON files in a folder, found by a key: what is broken, or cannot be written, is not there.

Several processes may use the folder at once: a file is put in its place as a whole.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

MOST: Final = 100_000_000
"""Bytes that all files may take; what was not asked for the longest goes first."""
_AFTER_TIDYING: Final = 0.8
"""The share of them that may stay, so that this is not done at each run."""
_RECENTLY: Final = 3_600.0
"""Seconds for which nobody need note that a file was asked for once more."""
_AHEAD: Final = 60_000_000_000
"""Nanoseconds that the clock of a file system may be ahead of ours."""
_SUFFIX: Final = ".json"


class CacheFiles(Struct, frozen=True):
    """What is kept below ``folder``, which need not be there yet."""

    folder: Path

    def get(self, key: str) -> Any:
        """What was put under ``key``; None where there is nothing, or no longer what was put."""
        path = self._path(key)
        try:
            data = path.read_bytes()
            self._note_use(path)
        except OSError:
            return None
        digest, _, content = data.partition(b"\n")
        if digest != _digest(content):
            return None
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            return None

    def put(self, key: str, value: Any) -> None:
        """Keep ``value``, plain data, if that is possible."""
        content = json.dumps(value, separators=(",", ":")).encode()
        path = self._path(key)
        with contextlib.suppress(OSError):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _replace(path, _digest(content) + b"\n" + content)

    def tidy(self, most: int = MOST) -> None:
        """Take out what was not asked for the longest, where all take more than ``most`` bytes."""
        found = sorted(self._all(), reverse=True)
        if sum(size for _, size, _ in found) <= most:
            return
        room = most * _AFTER_TIDYING
        for _, size, path in found:
            room -= size
            if room < 0:
                with contextlib.suppress(OSError):
                    os.unlink(path)  # noqa: PTH108

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}{_SUFFIX}"

    def _note_use(self, path: Path) -> None:
        if abs(time.time() - path.stat().st_mtime) > _RECENTLY:  # a clock may have been ahead
            with contextlib.suppress(OSError):
                os.utime(path)

    def _all(self) -> Iterator[tuple[int, int, str]]:
        """When each file was last asked for, its size and its path; unfinished ones, too."""
        now = time.time_ns()
        for folder, _, names in os.walk(self.folder):
            for name in names:
                with contextlib.suppress(OSError):
                    path = os.path.join(folder, name)  # noqa: PTH118
                    status = os.stat(path)  # noqa: PTH116
                    asked = status.st_mtime_ns
                    # nobody knows when that was: the clock has gone backwards since
                    yield asked if asked <= now + _AHEAD else 0, status.st_size, path


def digest_of(content: Sequence[Any]) -> str:
    """A key for all that ``content``, plain data, consists of."""
    data = json.dumps(content).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, digest_size=20).hexdigest()


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=16).hexdigest().encode()


def _replace(path: Path, data: bytes) -> None:
    """Put ``data`` into ``path`` at once. Raises `OSError`; nothing stays behind then."""
    handle, name = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
