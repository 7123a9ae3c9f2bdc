"""The script that Python was started with: it is not imported, so we run it ourselves.

``python train.py`` reads and compiles the file in C. Right before, Python asks the audit hooks
(``cpython.run_file``, https://docs.python.org/3/library/audit_events.html): ours runs the script in
``__main__`` and ends the process as Python would.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, TracebackType
from typing import Any, Final

from devicefix.observe.sightings.loading import Compiler

_EVENT: Final = "cpython.run_file"
_INTERRUPTED: Final = 130


def run_script_with(compiler: Compiler) -> None:
    """Have the script of this process compiled by ``compiler`` when Python comes to it."""
    waiting = [True]

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event != _EVENT or not waiting or sys.flags.interactive or sys.flags.inspect:
            return
        waiting.clear()
        path = os.fsdecode(arguments[0])
        code = _compiled(compiler, path)
        if code is not None:
            _run(code, path)

    hook.__cantrace__ = True  # type: ignore[attr-defined]  # debuggers and profilers go on working
    sys.addaudithook(hook)


def _compiled(compiler: Compiler, path: str) -> CodeType | None:
    if not compiler.takes(path):
        return None
    try:
        return compiler.code(Path(path).read_bytes(), path)
    except OSError:
        return None


def _run(code: CodeType, path: str) -> None:
    """Run the script to its end. Raises `SystemExit`, always."""
    names = vars(sys.modules["__main__"])
    names.update(__file__=path, __cached__=None, __loader__=SourceFileLoader("__main__", path))
    try:
        exec(code, names)
    except SystemExit:
        raise
    except BaseException as error:
        error.__traceback__ = _without_ours(error.__traceback__)
        sys.excepthook(type(error), error, error.__traceback__)
        raise SystemExit(_INTERRUPTED if isinstance(error, KeyboardInterrupt) else 1) from None
    raise SystemExit(0)


def _without_ours(traceback: TracebackType | None) -> TracebackType | None:
    while traceback is not None and traceback.tb_frame.f_code.co_filename == __file__:
        traceback = traceback.tb_next
    return traceback
