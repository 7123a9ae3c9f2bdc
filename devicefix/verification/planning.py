"""From a command line to what is run in which folder, where fixes are to be verified."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from devicefix.engine import Choice
from devicefix.verification.commands import read_command
from devicefix.verification.request import Request
from devicefix.verification.supervision import Bounds
from devicefix.verification.targets import Target, find_program
from devicefix.verification.trials import Rehearse

Check = Callable[[str, Sequence[str]], None]
"""Raises `LaunchError` where an interpreter cannot have one of some devices."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What somebody wants to have run."""

    command: str
    """Such as ``python train.py --epochs 1``."""
    devices: tuple[str, ...]
    bounds: Bounds
    tolerance: float | None = None


def plan(
    wanted: Wanted, root: Path, interpreter: Callable[[str | None], str], check: Check
) -> tuple[Request, Target]:
    """What is to be run in ``root``, and where.

    ``interpreter`` is given the one that the command names, if any. Raises `LaunchError`.
    """
    command = read_command(wanted.command)
    python = interpreter(command.python)
    target = find_program(command.name, command.is_module, python, root)
    check(target.python, wanted.devices)
    request = Request(
        name=target.name,
        arguments=command.arguments,
        python=python,
        is_module=command.is_module,
        folder=target.folder,
        roots=(target.before.root,),
        devices=wanted.devices,
        bounds=wanted.bounds,
        tolerance=wanted.tolerance,
    )
    return request, target


def root_of(rehearse: Rehearse) -> Path:
    """The folder that is copied: ours, or the one above it that holds all that may be changed."""
    rehearse(Choice())  # first: only programs with unsafe fixes are looked at again
    changes = rehearse(Choice(trusts_all=True)).changes
    files = (os.path.realpath(result.path) for result, _ in changes)
    return Path(os.path.commonpath([os.path.realpath(Path.cwd()), *files]))
