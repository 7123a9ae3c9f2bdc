"""Text that the program writes to `sys.stdout`, whatever it has put there."""

from __future__ import annotations

import functools
import sys
import threading
from dataclasses import dataclass
from types import FrameType, ModuleType
from typing import Any, Final

from devicefix.observe.witness.log import EventLog, Spot
from devicefix.observe.witness.threads import thread_number
from devicefix.observe.witness.where import line_of

_LONG: Final = 1 << 16
"""Characters without an end of line that are enough for an event."""
_OURS: Final = "_devicefix_observed"


@dataclass
class _Line:
    """What a line of the program has written behind its last end of a line."""

    at: Spot | None
    text: str = ""


class Output:
    """Notes what is written; what the same line of the program writes is one event per line."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._within = threading.local()
        self._lock = threading.RLock()
        self._pending: dict[int, _Line] = {}
        """By the number of the thread that has not ended its line."""

    def begin(self) -> None:
        """Listen to `sys.stdout` from now on, and to what the program puts in its place."""
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

        @functools.wraps(original)
        def write(*args: Any, **kwargs: Any) -> Any:
            if getattr(self._within, "write", False):
                return original(*args, **kwargs)  # a stream that writes to another of ours
            self._within.write = True
            try:
                result = original(*args, **kwargs)
            finally:
                self._within.write = False
            if args and isinstance(args[0], str):
                self._wrote(args[0], sys._getframe().f_back)
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
                self._tell(thread, line, line.text)
                line.at, line.text = at, ""
            whole, end, rest = (line.text + text).rpartition("\n")
            if len(rest) > _LONG:
                whole, end, rest = "", rest, ""
            line.text = rest
            self._tell(thread, line, whole + end)

    def flush(self) -> None:
        """Note what has no end of line yet."""
        with self._lock:
            for thread, line in sorted(self._pending.items(), key=lambda item: item[0]):
                self._tell(thread, line, line.text)
            self._pending.clear()

    def _tell(self, thread: int, line: _Line, text: str) -> None:
        if text:
            self._log.saw("written", "sys.stdout", line.at, text=text, thread=thread)
