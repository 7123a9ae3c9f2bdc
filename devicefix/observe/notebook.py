"""Runs the cells of a notebook as one program: ``python notebook.py NOTEBOOK [ARGS…]``.

A script of its own, standard library only: it runs in the user's interpreter, which needs neither
Jupyter nor devicefix. As under Jupyter the working directory is that of the notebook. IPython's own
syntax is no Python: `%magics` and `!shell` lines are passed over with one notice.
"""

from __future__ import annotations
import __future__

import ast
import functools
import inspect
import json
import linecache
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType, TracebackType
from typing import Any, Final

_AWAIT: Final = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
_FUTURE: Final = sum(
    getattr(__future__, name).compiler_flag for name in __future__.all_feature_names
)
_NAMED: Final = 3
"""Lines that the notice names."""


def _ipython() -> Any:
    """What knows IPython's syntax: a file of devicefix, which need not be importable here."""
    place = Path(__file__).parent.parent / "ipython.py"
    spec = spec_from_file_location("_devicefix_ipython", place)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # for its dataclasses
    spec.loader.exec_module(module)
    return module


IPYTHON: Final = _ipython()


class NotebookError(Exception):
    """Raised with a sentence for a file that holds no notebook, or a cell that does not parse."""


def cells_of(path: Path) -> Iterator[tuple[int, str]]:
    """The texts of the code cells, by their numbers among all. Raises `NotebookError`."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        sheets = content.get("worksheets", [content])  # format 3 has sheets
        cells = (cell for sheet in sheets for cell in sheet["cells"])
        for number, cell in enumerate(cells, start=1):
            if cell["cell_type"] == "code":
                text = cell["source"] if "source" in cell else cell["input"]
                yield number, text if isinstance(text, str) else "".join(text)
    except OSError as error:
        raise NotebookError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise NotebookError(f"{path} is not a notebook: {error!r}") from None


def python_of(cell: str) -> tuple[str, list[str]]:
    """A cell with as many lines, without IPython's syntax, and the lines that were passed over."""
    if IPYTHON.is_foreign(cell):
        return "", [cell.lstrip().splitlines()[0]]
    lines = IPYTHON.split(cell)
    passed: list[str] = []
    for escape in list(IPYTHON.escapes(lines)):
        line = lines[escape.first]
        if escape.prefix:
            lines[escape.first] = escape.indent + line[len(escape.indent) + len(escape.prefix) :]
            continue
        passed.append(line.strip())
        for at in range(escape.first, escape.last + 1):
            lines[at] = "\n"
        if not line.startswith("%%"):
            value = "[]" if escape.lists else "None"  # nothing ran, so nothing was printed
            code = f"{escape.target} {value}" if escape.target else "pass"
            lines[escape.first] = f"{escape.indent}{code}\n"
    return "".join(lines) + "\n", passed


def compiled(path: Path) -> tuple[list[CodeType], list[str]]:
    """The code of all cells, whose tracebacks name cell and line, and what was passed over.

    Raises `NotebookError` and, for a cell that is no Python, `SyntaxError`.
    """
    codes: list[CodeType] = []
    passed: list[str] = []
    future = 0
    for number, cell in cells_of(path):
        text, gone = python_of(cell)
        name = f"{path}:cell {number}"
        linecache.cache[name] = (len(text), None, IPYTHON.split(cell), name)
        code = compile(text, name, "exec", _AWAIT | future, dont_inherit=True)
        future |= code.co_flags & _FUTURE  # an import from __future__ holds for later cells, too
        codes.append(code)
        passed += (f"cell {number}: {line}" for line in gone)
    return codes, passed


def _notice(passed: list[str]) -> None:
    if passed:
        more = f" and {len(passed) - _NAMED} more" if len(passed) > _NAMED else ""
        lines = "; ".join(passed[:_NAMED])
        sys.stderr.write(f"devicefix: not run, because they are IPython commands: {lines}{more}\n")


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


def _run(code: CodeType, namespace: dict[str, Any]) -> None:
    """Run a cell, which may wait for something (ipython.readthedocs.io, "autoawait")."""
    if not code.co_flags & inspect.CO_COROUTINE:
        exec(code, namespace)
        return
    _loop().run_until_complete(eval(code, namespace))


@functools.lru_cache(maxsize=1)
def _loop() -> Any:
    """The one that all cells share, if any waits."""
    import asyncio

    return asyncio.new_event_loop()


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
        _run(code, namespace)
    del ours


if __name__ == "__main__":
    main()
