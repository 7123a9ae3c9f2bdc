"""Text that the program writes to `sys.stdout`, whatever it has put there."""

from __future__ import annotations

import contextlib
import functools
import io
import sys
import threading
from dataclasses import dataclass, field
from types import FrameType, ModuleType
from typing import Any, Final

from devicefix.observe.witness.log import EventLog, Spot
from devicefix.observe.witness.threads import thread_number
from devicefix.observe.witness.where import line_of

_LONG: Final = 1 << 16
"""Characters without an end of line that are enough for an event."""
_BUFFER: Final = 1 << 17
"""Bytes."""
_OURS: Final = "_devicefix_observed"


ENOUGH: Final = 250_000
"""Characters on stdout of which the rest is not told any more: it is compared where it arrives."""
_TOO_MUCH: Final = 2 * ENOUGH
"""Where no line ends, they are cut."""


@dataclass
class _Line:
    """What a line of the program has written behind its last end of a line."""

    at: Spot | None
    parts: list[str] = field(default_factory=list)
    size: int = 0

    def add(self, text: str) -> None:
        self.parts.append(text)
        self.size += len(text)

    def take(self) -> str:
        """The text, which is gone then."""
        text = "".join(self.parts)
        self.parts.clear()
        self.size = 0
        return text


class Output:
    """Notes what is written; what the same line of the program writes is one event per line."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._within = threading.local()
        self._lock = threading.RLock()
        self._pending: dict[int, _Line] = {}
        """By the number of the thread that has not ended its line."""
        self._characters = self._bytes = 0
        """Told of stdout."""
        self._is_over = False

    def begin(self) -> None:
        """Listen to `sys.stdout` from now on, and to what the program puts in its place."""
        _buffer_more()
        self._listen(sys.stdout)
        listen = self._listen

        class module(ModuleType):  # noqa: N801
            def __setattr__(self, name: str, value: Any) -> None:
                super().__setattr__(name, value)
                if name == "stdout":
                    listen(value)

        module.__module__ = "builtins"
        sys.__class__ = module

    def _listen(self, stream: Any) -> None:
        """Wrap ``stream.write`` on the object itself; its type stays what it is."""
        original = getattr(stream, "write", None)
        if not callable(original) or hasattr(original, _OURS):
            return

        is_stdout = _is_stdout(stream)

        @functools.wraps(original)
        def write(*args: Any, **kwargs: Any) -> Any:
            if self._is_over or getattr(self._within, "write", False):
                return original(*args, **kwargs)  # a stream that writes to another of ours
            self._within.write = True
            try:
                result = original(*args, **kwargs)
            finally:
                self._within.write = False
            if args and isinstance(args[0], str):
                self._wrote(args[0], sys._getframe().f_back)
                if is_stdout:
                    self._count(args[0], stream)
            return result

        setattr(write, _OURS, True)
        try:
            stream.write = write
        except AttributeError:  # an object with slots
            return

    def _wrote(self, text: str, frame: FrameType | None) -> None:
        if not text or not self._log.ours:
            return
        at, thread = line_of(frame), thread_number()
        with self._lock:
            line = self._pending.setdefault(thread, _Line(at))
            if line.at != at:
                self._tell(thread, line, line.take())
                line.at = at
            whole, end, rest = text.rpartition("\n")
            if end:
                self._tell(thread, line, line.take() + whole + end)
            line.add(rest)
            if line.size > _LONG:
                self._tell(thread, line, line.take())

    def _count(self, text: str, stream: Any) -> None:
        """Where enough was told, end it with a line."""
        self._characters += len(text)
        self._bytes += len(text.encode(stream.encoding or "utf-8", stream.errors or "strict"))
        if self._characters < ENOUGH:
            return
        if text.endswith("\n") or self._characters > _TOO_MUCH:
            self.flush()
            self._is_over = True
            self._log.saw("cut", "sys.stdout", None, text=str(self._bytes))
            with contextlib.suppress(AttributeError):
                del stream.write

    def flush(self) -> None:
        """Note what has no end of line yet."""
        with self._lock:
            for thread, line in sorted(self._pending.items(), key=lambda item: item[0]):
                self._tell(thread, line, line.take())
            self._pending.clear()

    def _tell(self, thread: int, line: _Line, text: str) -> None:
        if text:
            self._log.saw("written", "sys.stdout", line.at, text=text, thread=thread)


def _buffer_more() -> None:
    """Let what goes to a pipe or a file wait until there is more of it.

    Each write is a call of the system, and a program that prints 50 MB in Python's blocks of 8 KiB
    waits longer for those than for all the rest. What a program that is killed has not written yet
    was told line by line.
    """
    stream = sys.stdout
    if stream is not sys.__stdout__ or not isinstance(stream, io.TextIOWrapper):
        return
    if stream.line_buffering or stream.write_through or not _is_stdout(stream):
        return  # somebody wants to see it at once
    stream.flush()
    raw = io.FileIO(1, "w", closefd=False)
    raw.name = "<stdout>"
    more = io.TextIOWrapper(
        io.BufferedWriter(raw, _BUFFER), stream.encoding, stream.errors, newline="\n"
    )
    more.mode = "w"  # type: ignore[misc]
    sys.stdout = sys.__stdout__ = more  # type: ignore[misc]


def _is_stdout(stream: Any) -> bool:
    """Whether what is written to ``stream`` is what others read from this process."""
    try:
        return bool(stream.fileno() == 1)
    except (AttributeError, OSError, ValueError):
        return False
