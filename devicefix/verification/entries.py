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


def find_entry(name: str, arguments: Sequence[str], python: str, is_module: bool) -> Entry:
    """How to start ``name``, a module, script, notebook or command. Raises `LaunchError`.

    A name without a folder is a file if it looks like Python's, else a command (next to ``python``
    first, then on ``PATH``), else a file.
    """
    if is_module:
        return Entry((python, "-m", name, *arguments), python)
    if name == _STDIN:
        return Entry((python, _STDIN, *arguments), python)
    path = Path(name)
    if path.suffix == ".ipynb":
        _check_notebook(path)
        return Entry((python, str(NOTEBOOK_RUNNER), name, *arguments), python)
    if path.suffix not in _SOURCES and not (os.sep in name and _is_script(path)):
        command = _command(name, python)
        if command is not None:
            return Entry((command, *arguments), interpreter_of(Path(command)) or python)
    _check_readable(path)
    return Entry((python, name, *arguments), python)


def _is_script(path: Path) -> bool:
    """Whether Python has to be named to run it."""
    return path.is_dir() or not os.access(path, os.X_OK)


def _command(name: str, python: str) -> str | None:
    """The executable that ``name`` means."""
    if os.sep in name:
        return shutil.which(name)
    folders = (str(Path(python).parent), os.environ.get("PATH", os.defpath))
    return shutil.which(name, path=os.pathsep.join(folders))


def _check_readable(path: Path) -> None:
    """Raises `LaunchError` unless Python can run ``path``."""
    try:
        if path.is_dir():
            if not (path / "__main__.py").is_file():
                raise LaunchError(f"{path} is a folder without a __main__.py")
            return
        with path.open("rb"):
            pass
    except FileNotFoundError:
        raise LaunchError(f"{path}: {_missing(path)}") from None
    except (OSError, ValueError) as error:
        raise LaunchError(f"{path} cannot be read: {_reason(error)}") from None
    if _is_binary(path):
        raise LaunchError(f"{path} is neither Python nor executable")


def _missing(path: Path) -> str:
    if len(path.parts) > 1 or path.suffix:
        return "no such file"
    if path.with_suffix(".py").is_file():
        return f"no such file or command; is it {path}.py?"
    return "no such file or command (a module is run with -m)"


def _is_binary(path: Path) -> bool:
    """Whether Python would stumble over it at once; archives and compiled files it can run."""
    if path.suffix in {".pyc", ".pyz"} or zipfile.is_zipfile(path):
        return False
    with path.open("rb") as file:
        return b"\0" in file.read(4096)


def _check_notebook(path: Path) -> None:
    """Raises `LaunchError` unless ``path`` is a notebook of Python."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise LaunchError(f"{path}: no such file") from None
    except OSError as error:
        raise LaunchError(f"{path} cannot be read: {_reason(error)}") from None
    except ValueError as error:
        raise LaunchError(f"{path} is no notebook: {error}") from None
    if not isinstance(content, dict) or not ("cells" in content or "worksheets" in content):
        raise LaunchError(f"{path} is no notebook: it has no cells")
    metadata = content.get("metadata") or {}
    language = (metadata.get("kernelspec") or {}).get("language", "python")
    if str(language).lower() != "python":
        raise LaunchError(f"{path} is a notebook of {language}, not of Python")


def _reason(error: OSError | ValueError) -> str:
    text = error.strerror if isinstance(error, OSError) else str(error)
    return (text or type(error).__name__).lower()
