"""What a program writes to a stream, read while it runs, and kept as far as there is room."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO, Final, cast

_CHUNK: Final = 1 << 20
_SET_SIZE: Final = 1031
"""``F_SETPIPE_SZ`` of fcntl(2), which Python knows by name from 3.10 on."""
_PAUSE: Final = 0.002
"""Seconds in which more gathers in the pipe, which has room for it. A program that prints a line at
a time would have us run for each: of 50 MB that costs more than all the rest."""
_PATIENCE: Final = 5.0
"""Seconds to wait for a stream that somebody holds although the program has ended."""


class Drain:
    """Reads a pipe to its end, and keeps ``most`` bytes in memory: the first ones, or the last."""

    def __init__(self, most: int, last: bool = False, room: int = 0) -> None:
        """``room``: the first so many bytes are kept on the disk besides, for `spooled`."""
        self.cut = False
        """Whether something was not kept."""
        self._most = most
        self._last = last
        self._kept: deque[bytes] = deque()
        self._size = 0
        self._room = room
        self.spooled: BinaryIO | None = None
        """All that there was room for, if that is more than ``most``; closed, it is gone."""
        self._reader, self.writer = os.pipe()
        """``writer`` is for the program."""
        _widen(self.writer)
        self._thread = threading.Thread(target=self._read, daemon=True)
        with _signals_blocked():  # the thread inherits that: they are for the one that waits
            self._thread.start()

    def finish(self) -> bytes:
        """What was kept, once nobody writes any more."""
        os.close(self.writer)
        self._thread.join(_PATIENCE)
        if self.spooled is not None:
            self.spooled.flush()
        return b"".join(self._kept)[-self._most :]

    def _read(self) -> None:
        while chunk := os.read(self._reader, _CHUNK):
            self._keep(chunk)
            if len(chunk) < _CHUNK // 4:
                time.sleep(_PAUSE)
        os.close(self._reader)

    def _keep(self, chunk: bytes) -> None:
        if self._last:
            self._kept.append(chunk)
            self._size += len(chunk)
            while self._size - len(self._kept[0]) >= self._most:
                self._size -= len(self._kept.popleft())
                self.cut = True
            return
        if self.spooled is None and self._size + len(chunk) > self._most and self._room:
            self._spool()
        first = chunk[: max(0, self._most - self._size)]
        if first:
            self._kept.append(first)
        room = max(self._most, self._room) - self._size
        self.cut = self.cut or len(chunk) > room
        if self.spooled is not None and room > 0:
            self.spooled.write(chunk[:room])
        self._size += len(chunk)

    def _spool(self) -> None:
        try:
            self.spooled = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115 - for long
            self.spooled.writelines(self._kept)
        except OSError:  # no room: what fits into memory is compared
            self.spooled, self._room = None, 0


def _widen(pipe: int) -> None:
    """Let more wait in it than the usual 64 KiB: that saves turns."""
    import fcntl

    with suppress(OSError):  # more than the system allows
        fcntl.fcntl(pipe, _SET_SIZE, _CHUNK)


@contextmanager
def _signals_blocked() -> Iterator[None]:
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
