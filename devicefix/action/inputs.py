"""What the workflow asks for, read from the environment; all of it is text of strangers."""

from __future__ import annotations

import contextlib
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
    """`PROPOSE` and `PUBLISH` in one job."""
    PROPOSE = "propose"
    """Make and verify fixes, and leave them as a bundle; nothing needs a token."""
    PUBLISH = "publish"
    """Take a bundle to a pull request; no program of the repository runs."""

    @property
    def runs_programs(self) -> bool:
        """Whether fixes may be verified."""
        return self in (Mode.FIX, Mode.PROPOSE)


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
    bundle: Path
    """The folder of the bundle that `Mode.PUBLISH` takes."""
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
        mode=text.read("mode", _mode),
        folder=folder,
        paths=tuple(Path(path) for path in text.read("paths", shlex.split)) or (Path(),),
        select=_items(text("select")),
        ignore=_items(text("ignore")),
        since=text("since"),
        unsafe_fixes=text.read("unsafe-fixes", _boolean),
        fail_on_findings=text.read("fail-on-findings", _boolean),
        bundle=Path(text("bundle")),
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
    text.read("upload-sarif", _boolean)  # a step reads it, which takes all but true for false
    _check_folder(folder, text("working-directory"))
    for path in inputs.paths:
        _check_path(_inside(workspace, folder / path), path)
    if inputs.verify and not inputs.mode.runs_programs:
        raise InputError(
            f"input verify: works with mode fix or propose only; mode {inputs.mode.value} runs no "
            "program"
        )
    return inputs


def _check_folder(folder: Path, named: str) -> None:
    if not folder.is_dir():
        what = "is not a folder" if folder.exists() else "does not exist"
        raise InputError(f"input working-directory: {named!r} {what}")


def _check_path(path: Path, named: Path) -> None:
    if not os.path.lexists(path):
        raise InputError(
            f"input paths: {str(named)!r} does not exist; paths are relative to working-directory, "
            "and a step before has to check the repository out"
        )


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


def _mode(text: str) -> Mode:
    try:
        return Mode(text)
    except ValueError:
        *first, last = (mode.value for mode in Mode)
        raise ValueError(f"no mode {text!r}; use {', '.join(first)} or {last}") from None


def _boolean(text: str) -> bool:
    if text not in _TRUE | _FALSE:
        raise ValueError(f"neither true nor false: {text!r}")
    return text in _TRUE


def _seconds(text: str) -> float:
    with contextlib.suppress(ValueError):
        seconds = float(text)
        if 0 < seconds < float("inf"):
            return seconds
    raise ValueError(f"not a number of seconds: {text!r}")


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
