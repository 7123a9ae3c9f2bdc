"""Which of the lines that were asked about ran.

A line counts if any line of its statement ran: edits may be inside a call of several lines, and
which of them Python says it is at depends on its version.
"""

from __future__ import annotations

import ast
import os
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from types import CodeType, FrameType
from typing import Any, Final

from devicefix.observe.witness.where import absolute

_MONITOR: Final = "devicefix"
_Trace = Callable[[FrameType, str, Any], Any]


class ExecutedLines:
    """Watches the files that were asked about, until all of their lines have run."""

    def __init__(self, asked: Mapping[str, frozenset[int]]) -> None:
        self._asked = {os.path.realpath(file): (file, lines) for file, lines in asked.items()}
        self._statements = {
            path: statements_of(path, lines) for path, (_, lines) in self._asked.items()
        }
        """By path, for each line of an asked statement, the lines that were asked of it."""
        self._ran: dict[str, set[int]] = {path: set() for path in self._asked}
        self._paths: dict[str, str | None] = {}
        self._codes: dict[int, tuple[CodeType, str, frozenset[int]]] = {}
        """By identity, which is quicker than a code object's hash: its file, and which lines that
        were asked about it may run."""

    def begin(self) -> None:
        """Watch from now on, in all threads."""
        if not any(self._statements.values()):
            return
        if sys.version_info >= (3, 12) and self._monitor():
            return
        threading.settrace(self._call)
        sys.settrace(self._call)

    def executed(self) -> dict[str, list[int]]:
        """The lines that ran, by file as it was asked for."""
        found = {self._asked[path][0]: sorted(ran) for path, ran in self._ran.items()}
        return {file: ran for file, ran in found.items() if ran}

    def _path(self, code: CodeType) -> str | None:
        """The file that was asked about and holds ``code``."""
        name = code.co_filename
        if name not in self._paths:
            path = os.path.realpath(absolute(name))
            self._paths[name] = path if self._statements.get(path) else None
        return self._paths[name]

    def _at(self, path: str, line: int) -> None:
        self._ran[path].update(self._statements[path].get(line, ()))

    def _call(self, frame: FrameType, what: str, argument: Any) -> _Trace | None:
        """For `sys.settrace`: a function is called."""
        known = self._codes.get(id(frame.f_code)) or self._know(frame.f_code)
        _, path, wanted = known
        if not wanted or wanted <= self._ran[path]:
            return None
        asked = self._statements[path]

        def trace(frame: FrameType, what: str, argument: Any) -> _Trace:
            if frame.f_lineno in asked:
                self._at(path, frame.f_lineno)
                frame.f_trace_lines = not wanted <= self._ran[path]
            return trace

        return trace(frame, what, argument)

    def _know(self, code: CodeType) -> tuple[CodeType, str, frozenset[int]]:
        path = self._path(code)
        asked = self._statements.get(path or "", {})
        lines = {line for _, _, line in code.co_lines() if line is not None}
        wanted = frozenset(number for line in lines for number in asked.get(line, ()))
        return self._codes.setdefault(id(code), (code, path or "", wanted))

    if sys.version_info >= (3, 12):

        def _monitor(self) -> bool:
            """Watch by `sys.monitoring`, which costs nothing where nothing was asked."""
            monitoring = sys.monitoring
            free = [n for n in (4, 3, 5, 2) if monitoring.get_tool(n) is None]
            if not free:
                return False
            tool = free[0]
            monitoring.use_tool_id(tool, _MONITOR)

            def start(code: CodeType, offset: int) -> Any:
                """To hear of every line of everything would make imports three times as long."""
                if self._path(code) is not None:
                    monitoring.set_local_events(tool, code, monitoring.events.LINE)
                return monitoring.DISABLE

            def line(code: CodeType, number: int) -> Any:
                path = self._path(code)
                if path is not None:
                    self._at(path, number)
                return monitoring.DISABLE

            monitoring.register_callback(tool, monitoring.events.PY_START, start)
            monitoring.register_callback(tool, monitoring.events.LINE, line)
            monitoring.set_events(tool, monitoring.events.PY_START)
            return True


def statements_of(path: str, lines: Iterable[int]) -> dict[int, set[int]]:
    """For every line of the statements around ``lines``, those of ``lines`` that belong to it."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, ValueError):
        return {line: {line} for line in lines}
    own = _owners(tree)
    found: dict[int, set[int]] = {}
    for line in lines:
        statement = own.get(line)
        span = [line] if statement is None else [n for n, s in own.items() if s is statement]
        for number in span:
            found.setdefault(number, set()).add(line)
    return found


def _owners(tree: ast.AST) -> dict[int, ast.stmt]:
    """The innermost statement of each line; decorators belong to what they decorate."""
    own: dict[int, ast.stmt] = {}
    for node in ast.walk(tree):  # from the outside in
        if isinstance(node, ast.stmt):
            decorators = getattr(node, "decorator_list", [])
            first = min([node.lineno, *(one.lineno for one in decorators)])
            for line in range(first, (node.end_lineno or node.lineno) + 1):
                own[line] = node
    return own
