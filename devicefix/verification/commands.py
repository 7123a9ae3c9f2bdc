"""A command line as one would type it, taken apart for a verification."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from devicefix.verification.errors import LaunchError

_PYTHON: Final = re.compile(r"python[\d.]*(\.exe)?")
_USUAL: Final = frozenset({"python", "python3"})
"""Whatever interpreter the environment has."""
_SHELL: Final = frozenset({"|", "||", "&", "&&", ";", ">", ">>", "<", "2>", "2>&1", "&>"})
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_HARMLESS: Final = frozenset({"-u", "-B"})
"""Options of Python that make no difference to what a program does in a copy."""
_STDIN: Final = "-"


@dataclass(frozen=True, slots=True)
class Command:
    """What to run."""

    name: str
    """A script, notebook, module or command."""
    arguments: tuple[str, ...]
    python: str | None
    """The interpreter that was named; None for the usual one."""
    is_module: bool = False


def read_command(text: str) -> Command:
    """The program that ``text`` runs: ``python train.py --epochs 1``, ``pytest tests`` …

    Raises `LaunchError` where it is no command, or one that cannot be repeated.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise LaunchError(f"{text!r} is not a valid command: {str(error).lower()}") from None
    if not words:
        raise LaunchError("an empty command")
    _check_plain(words)
    if _PYTHON.fullmatch(Path(words[0]).name) is None:
        return _entry(words, None)
    python = None if words[0] in _USUAL else words[0]
    return _behind_python(words, python)


def _check_plain(words: Sequence[str]) -> None:
    """Raises `LaunchError` for what only a shell would understand."""
    if _ASSIGNMENT.fullmatch(words[0]):
        raise LaunchError(f"set {words[0]} before `devicefix`: the program inherits it")
    for word in words:
        if word in _SHELL:
            raise LaunchError(
                f"{word!r}: only one program can be run, without a shell; put it in a script"
            )


def _behind_python(words: Sequence[str], python: str | None) -> Command:
    rest = list(words[1:])
    while rest and rest[0] in _HARMLESS:
        rest.pop(0)
    if not rest or rest[0] == _STDIN:
        raise LaunchError(
            f"{shlex.join(words)}: name a script, a notebook or a module: it is run several times"
        )
    if rest[0] == "-m" and len(rest) > 1:
        return Command(rest[1], tuple(rest[2:]), python, is_module=True)
    if rest[0].startswith("-"):
        raise LaunchError(
            f"{words[0]} {rest[0]}: only a script, a notebook or a module (-m) can be verified; "
            "other options of Python can be given by environment variables"
        )
    return _entry(rest, python)


def _entry(words: Sequence[str], python: str | None) -> Command:
    return Command(words[0], tuple(words[1:]), python)
