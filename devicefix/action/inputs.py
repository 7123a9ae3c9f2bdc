"""What the workflow asks for, read from the environment; all of it is text of strangers."""

from __future__ import annotations

import enum
import os
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from devicefix.pull_requests import Author

_Value = TypeVar("_Value")
_TRUE: Final = frozenset({"true", "True", "TRUE"})
_FALSE: Final = frozenset({"false", "False", "FALSE", ""})
"""What YAML 1.2 calls a boolean, as @actions/core reads it."""


class InputError(Exception):
    """An input cannot be used; ``str()`` names it."""


class Mode(enum.Enum):
    """What the Action does with what it finds."""

    CHECK = "check"
    FIX = "fix"


@dataclass(frozen=True, slots=True)
class Inputs:
    """The inputs of `action.yml`, but those that only its steps use."""

    mode: Mode
    folder: Path
    """In which all is done; in the workspace."""
    paths: tuple[Path, ...]
    """As they were given: relative to `folder`."""
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    since: str
    """A revision, or `all`; the empty string for what the event suggests."""
    unsafe_fixes: bool
    fail_on_findings: bool
    verify: str
    """A command; the empty string for none."""
    devices: tuple[str, ...]
    timeout: float
    python: str
    """What runs it; the empty string for what the command or ``PATH`` names."""
    branch: str
    base: str
    title: str
    message: str
    author: Author


def read_inputs(environment: Mapping[str, str], workspace: Path) -> Inputs:
    """Raises `InputError`."""
    text = _Text(environment)
    folder = _inside(workspace, Path(workspace, text("working-directory") or "."))
    inputs = Inputs(
        mode=text.read("mode", Mode),
        folder=folder,
        paths=tuple(Path(path) for path in text.read("paths", shlex.split)) or (Path(),),
        select=_items(text("select")),
        ignore=_items(text("ignore")),
        since=text("since"),
        unsafe_fixes=text.read("unsafe-fixes", _boolean),
        fail_on_findings=text.read("fail-on-findings", _boolean),
        verify=text("verify"),
        devices=text.read("verify-devices", _devices),
        timeout=text.read("verify-timeout", _seconds),
        python=text("verify-python"),
        branch=text("branch"),
        base=text("base"),
        title=text("title"),
        message=text("commit-message"),
        author=text.read("commit-author", Author.parse),
    )
    for path in inputs.paths:
        _inside(workspace, folder / path)
    if inputs.verify and inputs.mode is Mode.CHECK:
        raise InputError("input verify: works with mode fix only; mode check runs no program")
    return inputs


class _Text:
    """The inputs as text; GitHub's own name for one is INPUT_ and its name in capitals."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment

    def __call__(self, name: str) -> str:
        return self._environment.get(f"INPUT_{name.upper().replace('-', '_')}", "").strip()

    def read(self, name: str, convert: Callable[[str], _Value]) -> _Value:
        """Raises `InputError`."""
        try:
            return convert(self(name))
        except ValueError as error:
            raise InputError(f"input {name}: {error}") from None


def _boolean(text: str) -> bool:
    if text not in _TRUE | _FALSE:
        raise ValueError(f"neither true nor false: {text!r}")
    return text in _TRUE


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds < float("inf"):
        raise ValueError(f"not a number of seconds: {text!r}")
    return seconds


def _devices(text: str) -> tuple[str, ...]:
    from devicefix.simulator.devices import parse
    from devicefix.verification.readiness import REAL

    names = [name for name in _items(text) if name]
    return tuple(
        name if name in ("cpu", *REAL) else str(parse(name)) for name in dict.fromkeys(names)
    )


def _items(text: str) -> tuple[str, ...]:
    return tuple(text.replace(",", " ").split())


def _inside(workspace: Path, path: Path) -> Path:
    """``path``, if it does not leave ``workspace``, by a link neither. Raises `InputError`."""
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(workspace)):
        raise InputError(f"{path} is outside the workspace {workspace}")
    return path
