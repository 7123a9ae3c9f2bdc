"""Which Python runs the program."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Final

from devicefix.verification.errors import LaunchError

_PYTHON: Final = re.compile(r"python[\d.]*")
_SHEBANG_MOST: Final = 512
"""Bytes; Linux reads 256 of them."""


def default_interpreter() -> str:
    """The interpreter that a user expects to run the program: as ``python`` would.

    That is the one of the active virtual environment. Without one it is that of devicefix, unless
    torch is missing there and a conda environment is active (conda's ``base`` nearly always is).
    """
    active = _inside(os.environ.get("VIRTUAL_ENV"))
    if active is not None:
        return active
    conda = _inside(os.environ.get("CONDA_PREFIX"))
    if conda is not None and importlib.util.find_spec("torch") is None:
        return conda
    return sys.executable


def _inside(prefix: str | None) -> str | None:
    """The interpreter of an environment, not resolved: a link's place is what makes it one."""
    path = Path(prefix, "bin", "python") if prefix else None
    return str(path) if path is not None and os.access(path, os.X_OK) else None


def find_interpreter(name: str) -> str:
    """The absolute path of the interpreter that ``name``, a path or a command, means.

    Raises `LaunchError`.
    """
    found = shutil.which(name)
    if found is not None:
        return str(Path(found).absolute())
    if Path(name).is_dir():
        raise LaunchError(f"{name} is a folder; --python needs the interpreter in it")
    if Path(name).exists():
        raise LaunchError(f"{name} cannot be executed; --python needs a Python interpreter")
    raise LaunchError(f"no interpreter {name}")


def interpreter_of(script: Path) -> str | None:
    """The Python that the first line of ``script`` names; None where it names none."""
    try:
        with script.open("rb") as file:
            first = file.readline(_SHEBANG_MOST)
    except OSError:
        return None
    if not first.startswith(b"#!"):
        return None
    words = os.fsdecode(first[2:]).split()
    if words and Path(words[0]).name == "env":
        words = words[1:]
    named = shutil.which(words[0]) if words else None
    return named if named is not None and _PYTHON.fullmatch(Path(named).name) else None
