"""Runs the cells of a notebook as one program: ``python notebook.py NOTEBOOK [ARGS…]``.

A script of its own, standard library only: it runs in the user's interpreter, which needs neither
Jupyter nor devicefix. As under Jupyter the working directory is that of the notebook. IPython's own
syntax is no Python: `%magics` and `!shell` lines are passed over with one notice.
"""

from __future__ import annotations

import ast
import json
import linecache
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, ModuleType, TracebackType
from typing import Any, Final

_MAGIC: Final = re.compile(r"\s*(?:[%!?]|[\w., ]+=\s*[%!]\s*\w|.*\?\s*$)")
"""A line of IPython's syntax, if it is no Python."""
_WITH_BODY: Final = re.compile(r"%%(time|timeit|capture|prun|python3?)\b")
"""A cell magic below which there is Python that runs here."""
_TIMED: Final = re.compile(r"(\s*)%(?:time|timeit)\s+(?=[^\s-])")
"""A line magic in front of a statement that runs."""
_NAMED: Final = 3
"""Lines that the notice names."""


class NotebookError(Exception):
    """Raised with a sentence for a file that holds no notebook, or a cell that does not parse."""


def cells_of(path: Path) -> Iterator[str]:
    """The texts of the code cells. Raises `NotebookError`."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        sheets = content.get("worksheets", [content])  # format 3 has sheets
        for cell in (cell for sheet in sheets for cell in sheet["cells"]):
            if cell["cell_type"] == "code":
                text = cell["source"] if "source" in cell else cell["input"]
                yield text if isinstance(text, str) else "".join(text)
    except OSError as error:
        raise NotebookError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise NotebookError(f"{path} is no notebook: {error!r}") from None


def python_of(cell: str) -> tuple[str, list[str]]:
    """A cell with as many lines, without IPython's syntax, and the lines that were passed over."""
    lines = cell.splitlines()
    original = list(lines)
    passed: set[int] = set()
    first = next((n for n, line in enumerate(lines) if line.strip()), 0)
    if lines and lines[first].startswith("%%"):
        if not _WITH_BODY.match(lines[first]):
            return "", [lines[first]]
        lines[first] = ""
        passed.add(first)
    while (at := _culprit(lines)) is not None:
        timed = _TIMED.match(lines[at])
        if timed is not None:
            lines[at] = timed[1] + lines[at][timed.end() :]
        else:
            lines[at] = " " * (len(lines[at]) - len(lines[at].lstrip())) + "pass"
            passed.add(at)
    return "\n".join(lines) + "\n", [original[at].strip() for at in sorted(passed)]


def _culprit(lines: list[str]) -> int | None:
    """The line of IPython's syntax that keeps a cell from being parsed; None where none does.

    What parses is Python: a line of a text or a formula may well begin with ``%``.
    """
    try:
        ast.parse("\n".join(lines))
    except SyntaxError as error:
        last = min(error.lineno or 1, len(lines))
        return next((n for n in reversed(range(last)) if _MAGIC.match(lines[n])), None)
    except ValueError:  # a null byte: said when the cell is compiled
        return None
    return None


def compiled(path: Path) -> tuple[list[CodeType], list[str]]:
    """The code of all cells, whose tracebacks name cell and line, and what was passed over.

    Raises `NotebookError` and, for a cell that is no Python, `SyntaxError`.
    """
    codes: list[CodeType] = []
    passed: list[str] = []
    for number, cell in enumerate(cells_of(path), start=1):
        text, gone = python_of(cell)
        name = f"{path}:cell {number}"
        linecache.cache[name] = (len(text), None, cell.splitlines(keepends=True), name)
        codes.append(compile(text, name, "exec", dont_inherit=True))
        passed += (f"cell {number}: {line}" for line in gone)
    return codes, passed


def _notice(passed: list[str]) -> None:
    if passed:
        more = f" and {len(passed) - _NAMED} more" if len(passed) > _NAMED else ""
        lines = "; ".join(passed[:_NAMED])
        sys.stderr.write(f"devicefix: not run, as it is IPython's: {lines}{more}\n")


def _without_us(hook: Callable[..., Any]) -> Callable[..., None]:
    """An exception hook that begins the traceback with the cell."""

    def show(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
            trace = trace.tb_next
        error = error.with_traceback(trace)
        if hook is sys.__excepthook__:  # written in C: it knows lines of files only
            traceback.print_exception(kind, error, trace)
        else:
            hook(kind, error, trace)

    return show


def _namespace() -> dict[str, Any]:
    """That of a new `__main__`, as a kernel has it: no file, and `display`."""
    module = ModuleType("__main__")
    sys.modules["__main__"] = module
    module.__dict__["display"] = _display
    return module.__dict__


def _display(*objects: object, **_: object) -> None:
    for shown in objects:
        sys.stdout.write(f"{shown!r}\n")


def main() -> None:
    """Run the notebook that the command line names, with what follows as its ``sys.argv``."""
    path = Path(sys.argv[1]).absolute()
    sys.argv = sys.argv[1:]
    sys.excepthook = _without_us(sys.excepthook)
    try:
        codes, passed = compiled(path)
        os.chdir(path.parent)
    except NotebookError as error:
        sys.exit(f"devicefix: {error}")
    sys.path[0] = str(path.parent)
    _notice(passed)
    ours = sys.modules["__main__"]  # whose functions are needed to the end
    namespace = _namespace()
    for code in codes:
        exec(code, namespace)
    del ours


if __name__ == "__main__":
    main()
