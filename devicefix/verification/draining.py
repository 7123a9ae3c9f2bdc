"""What a program writes to a stream, read while it runs, and kept as far as there is room."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_CHUNK: Final = 1 << 16
_PATIENCE: Final = 5.0
"""Seconds to wait for a stream that somebody holds although the program has ended."""


class Drain:
    """Reads a pipe to its end, and keeps ``most`` bytes: the first ones, or the last."""

    def __init__(self, most: int, last: bool = False) -> None:
        self.cut = False
        """Whether something was not kept."""
        self._most = most
        self._last = last
        self._kept: deque[bytes] = deque()
        self._size = 0
        self._reader, self.writer = os.pipe()
        """``writer`` is for the program."""
        self._thread = threading.Thread(target=self._read, daemon=True)
        with _signals_blocked():  # the thread inherits that: they are for the one that waits
            self._thread.start()

    def finish(self) -> bytes:
        """What was kept, once nobody writes any more."""
        os.close(self.writer)
        self._thread.join(_PATIENCE)
        return b"".join(self._kept)[-self._most :]

    def _read(self) -> None:
        while chunk := os.read(self._reader, _CHUNK):
            self._keep(chunk)
        os.close(self._reader)

    def _keep(self, chunk: bytes) -> None:
        if not self._last:
            chunk, rest = chunk[: self._most - self._size], chunk[self._most - self._size :]
            self.cut = self.cut or bool(rest)
        self._kept.append(chunk)
        self._size += len(chunk)
        while self._last and self._size - len(self._kept[0]) >= self._most:
            self._size -= len(self._kept.popleft())
            self.cut = True


@contextmanager
def _signals_blocked() -> Iterator[None]:
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
