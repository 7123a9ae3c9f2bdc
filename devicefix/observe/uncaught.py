"""Exceptions that end the program, or that it shows: noted, then printed by whoever prints them."""

from __future__ import annotations

import functools
import sys
import threading
import traceback
from collections.abc import Callable
from types import TracebackType
from typing import Any

from devicefix.observe.explaining import explain
from devicefix.observe.tracebacks import without_ours

Notify = Callable[[BaseException, bool], None]
"""Is given an exception, and whether it ended the main thread."""


class Uncaught:
    """Listens where exceptions are shown; our own frames are taken out of what is shown."""

    def __init__(self, tell: Notify) -> None:
        self._tell = tell
        self._seen: BaseException | None = None

    def begin(self) -> Callable[[], None]:
        """Listen from now on; returns a function that ends it."""
        endings = [self._main(), self._threads(), self._shown()]

        def end() -> None:
            for one in endings:
                one()

        return end

    def _main(self) -> Callable[[], None]:
        before = sys.excepthook

        def hook(
            kind: type[BaseException], error: BaseException, trace: TracebackType | None
        ) -> Any:
            self._note(error, True)
            return before(kind, error, without_ours(error))

        def end() -> None:
            sys.excepthook = before

        sys.excepthook = hook
        return end

    def _threads(self) -> Callable[[], None]:
        before = threading.excepthook

        def hook(given: threading.ExceptHookArgs) -> Any:
            error = given.exc_value
            if error is None or isinstance(error, SystemExit):
                return before(given)
            self._note(error, False)
            trace = without_ours(error)
            shown = threading.ExceptHookArgs((given.exc_type, error, trace, given.thread))
            return before(shown)

        def end() -> None:
            threading.excepthook = before

        threading.excepthook = hook
        return end

    def _shown(self) -> Callable[[], None]:
        """Python's `traceback`: loggers, child processes and libraries show errors through it."""
        before = traceback.TracebackException.__init__

        @functools.wraps(before)
        def __init__(  # noqa: N807
            shown: Any, kind: Any, error: Any, *arguments: Any, **keywords: Any
        ) -> None:
            if error is not None:
                if error is not self._seen and explain(error) is not None:
                    self._note(error, False)
                without_ours(error)
            before(shown, kind, error, *arguments, **keywords)

        def end() -> None:
            traceback.TracebackException.__init__ = before  # type: ignore[method-assign]

        traceback.TracebackException.__init__ = __init__  # type: ignore[method-assign,assignment]
        return end

    def _note(self, error: BaseException, main: bool) -> None:
        self._seen = error
        try:
            self._tell(error, main)
        except Exception as fault:  # the program's own traceback matters more than our note of it
            sys.stderr.write(f"devicefix: the error could not be explained: {fault!r}\n")

    def last(self) -> None:
        """Note the exception that ended the program, if the program had put a hook in our place.

        IPython and pytest keep exceptions there that ended nothing.
        """
        error = getattr(sys, "last_value", None)
        if error is not None and error is not self._seen:
            self._note(error, not {"IPython", "_pytest"} & sys.modules.keys())
