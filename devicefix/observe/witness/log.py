"""The file of events of this process: one JSON line each, written as it happens.

Nothing is buffered: a write costs less than a microsecond, and a process may be killed, or call
`os._exit`, at any moment.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from devicefix.observe.witness.threads import thread_number

SUFFIX: Final = ".events"
FORMAT: Final = 1
SAMPLED: Final = 4096
"""Elements of a tensor that an event holds."""
FEW: Final = 16
"""Elements that it holds once the file is large."""
LARGE: Final = 256_000_000
"""Bytes after which the file is."""

_encode: Final = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode

Spot = Sequence[Any]
"""File, line, function and the line's text."""


class EventLog:
    """Writes events. A forked child writes none."""

    def __init__(self, path: Path) -> None:
        self._pid = os.getpid()
        self._lock = threading.RLock()
        self._written = 0
        self._file: int | None = None
        try:
            self._file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC, 0o666)
        except OSError as error:
            self._complain(error)
        main = os.environ.get("DEVICEFIX_MAIN", str(self._pid)) == str(self._pid)
        self._write({"format": FORMAT, "pid": self._pid, "main": main})

    @property
    def ours(self) -> bool:
        """Whether this is the process that the log is of, and not a child that it forked."""
        return self._file is not None and os.getpid() == self._pid

    @property
    def room(self) -> int:
        """How many elements of a tensor an event may hold."""
        return SAMPLED if self._written < LARGE else FEW

    def saw(
        self,
        kind: str,
        how: str,
        at: Spot | None,
        leaves: Sequence[Mapping[str, Any]] = (),
        text: str | None = None,
        thread: int | None = None,
    ) -> None:
        """Write one event."""
        if not self.ours:
            return
        event: dict[str, Any] = {"kind": kind, "at": at, "how": how}
        if text is not None:
            event["text"] = text
        if leaves:
            event["leaves"] = leaves
        event["thread"] = thread_number() if thread is None else thread
        self._write(event)

    def end(self, tail: Mapping[str, Any]) -> None:
        """Write the last line; later events are passed over."""
        if self.ours:
            self._write(tail)
            file, self._file = self._file, None
            if file is not None:
                os.close(file)

    def _write(self, content: Mapping[str, Any]) -> None:
        line = _encode(content).encode() + b"\n"
        with self._lock:
            if self._file is None:
                return
            self._written += len(line)
            try:
                while line:
                    line = line[os.write(self._file, line) :]
            except OSError as error:
                self._file = None
                self._complain(error)

    def _complain(self, error: OSError) -> None:
        sys.stderr.write(f"devicefix: no events of process {os.getpid()}: {error}\n")
