"""What the user wants to run, as a command line."""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from devicefix.verification.errors import LaunchError
from devicefix.verification.interpreters import interpreter_of

NOTEBOOK_RUNNER: Final = Path(__file__).parent.parent / "observe" / "notebook.py"
_SOURCES: Final = frozenset({".py", ".pyw", ".pyc", ".pyz"})
_STDIN: Final = "-"


@dataclass(frozen=True, slots=True)
class Entry:
    """A program, and how it is started."""

    command: tuple[str, ...]
    python: str
    """The interpreter that will run it, as far as that can be seen from here."""


def find_entry(
    name: str, arguments: Sequence[str], python: str, is_module: bool, folder: Path | None = None
) -> Entry:
    """How to start ``name``, a module, script, notebook or command. Raises `LaunchError`.

    A name without a folder is a file if it looks like Python's, else a command (next to ``python``
    first, then on ``PATH``), else a file. Files are looked for in ``folder``, where the program
    will be started; by default in the current one.
    """
    if is_module:
        return Entry((python, "-m", name, *arguments), python)
    if name == _STDIN:
        return Entry((python, _STDIN, *arguments), python)
    path = Path(name)
    place = path if folder is None else folder / path
    if path.suffix == ".ipynb":
        _check_notebook(path, place)
        return Entry((python, str(NOTEBOOK_RUNNER), name, *arguments), python)
    if path.suffix not in _SOURCES and not (os.sep in name and _is_script(place)):
        command = _command(name, python, folder)
        if command is not None:
            script = Path(command) if folder is None else folder / command
            return Entry((command, *arguments), interpreter_of(script) or python)
    _check_readable(path, place)
    return Entry((python, name, *arguments), python)


def _is_script(path: Path) -> bool:
    """Whether Python has to be named to run it."""
    return path.is_dir() or not os.access(path, os.X_OK)


def _command(name: str, python: str, folder: Path | None) -> str | None:
    """The executable that ``name`` means to a process that works in ``folder``."""
    if os.sep in name:
        there = name if folder is None else str(folder.absolute() / name)
        return name if shutil.which(there) is not None else None
    folders = (str(Path(python).parent), os.environ.get("PATH", os.defpath))
    return shutil.which(name, path=os.pathsep.join(folders))


def _check_readable(path: Path, place: Path) -> None:
    """Raises `LaunchError` unless Python can run ``path``, which lies at ``place``."""
    try:
        if place.is_dir():
            if not (place / "__main__.py").is_file():
                raise LaunchError(f"{path} is a folder without a __main__.py")
            return
        with place.open("rb"):
            pass
    except FileNotFoundError:
        raise LaunchError(f"{path}: {_missing(path, place)}") from None
    except (OSError, ValueError) as error:
        raise LaunchError(f"{path} cannot be read: {_reason(error)}") from None
    if _is_binary(place):
        raise LaunchError(f"{path} is neither Python nor executable")


def _missing(path: Path, place: Path) -> str:
    if len(path.parts) > 1 or path.suffix:
        return "no such file"
    if place.with_suffix(".py").is_file():
        return f"no such file or command; is it {path}.py?"
    return "no such file or command (a module is run with -m)"


def _is_binary(path: Path) -> bool:
    """Whether Python would stumble over it at once; archives and compiled files it can run."""
    if path.suffix in {".pyc", ".pyz"} or zipfile.is_zipfile(path):
        return False
    with path.open("rb") as file:
        return b"\0" in file.read(4096)


def _check_notebook(path: Path, place: Path) -> None:
    """Raises `LaunchError` unless ``path``, which lies at ``place``, is a notebook of Python."""
    try:
        content = json.loads(place.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise LaunchError(f"{path}: no such file") from None
    except OSError as error:
        raise LaunchError(f"{path} cannot be read: {_reason(error)}") from None
    except ValueError as error:
        raise LaunchError(f"{path} is not a notebook: {error}") from None
    if not isinstance(content, dict) or not ("cells" in content or "worksheets" in content):
        raise LaunchError(f"{path} is not a notebook: it has no cells")
    metadata = content.get("metadata") or {}
    language = (metadata.get("kernelspec") or {}).get("language", "python")
    if str(language).lower() != "python":
        raise LaunchError(f"{path} is not a Python notebook: its language is {language}")


def _reason(error: OSError | ValueError) -> str:
    text = error.strerror if isinstance(error, OSError) else str(error)
    return (text or type(error).__name__).lower()
