"""Whether a fix helps a program that has failed: it is run once more with it, in a copy."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from devicefix.records import Failure, How, Place
from devicefix.verification.errors import LaunchError
from devicefix.verification.execution import Execution, Order, execute
from devicefix.verification.request import Request
from devicefix.verification.result import Role
from devicefix.verification.scratch import Scratch
from devicefix.verification.supervision import Bounds
from devicefix.verification.targets import find_program
from devicefix.verification.trees import Tree

_MOST: Final = 200_000_000
"""Bytes of a folder that is copied for that."""
_LONGEST: Final = 30.0
"""Seconds: what took longer to fail is not run again, and nothing is run for longer."""
_AT_LEAST: Final = 20.0
_TIMES: Final = 3.0
"""How much longer it may take than it took to fail."""


@dataclass(frozen=True, slots=True)
class Failed:
    """A program in the current folder that has failed."""

    name: str
    arguments: tuple[str, ...]
    is_module: bool
    python: str
    device: str
    seconds: float
    megabytes: int | None
    failure: Failure


def helps(failed: Failed, rewritten: Mapping[str, tuple[bytes, bytes]]) -> bool | None:
    """Whether the program comes past the line where it failed; None where it was not tried.

    ``rewritten``: files by their path, each as it is and as the fix makes it.
    """
    if failed.seconds > _LONGEST or failed.failure.at is None:
        return None
    root = Path(os.path.realpath(Path.cwd()))
    names = {path: os.path.relpath(os.path.realpath(path), root) for path in rewritten}
    if any(name.startswith(os.pardir) for name in names.values()):
        return None
    overlay = {names[path]: texts[1] for path, texts in rewritten.items()}
    place = os.path.relpath(os.path.realpath(failed.failure.at.file), root)
    texts = next((texts for path, texts in rewritten.items() if names[path] == place), (b"", b""))
    line = moved(failed.failure.at.line, *texts)
    try:
        run = _run(failed, Tree(root, overlay), {place: frozenset({line})})
    except LaunchError:
        return None
    return _came_past(run, place, line, root)


def _run(failed: Failed, tree: Tree, lines: Mapping[str, frozenset[int]]) -> Execution:
    target = find_program(failed.name, failed.is_module, failed.python, tree.root)
    seconds = min(_LONGEST, max(_AT_LEAST, _TIMES * failed.seconds))
    request = Request(
        name=target.name,
        arguments=failed.arguments,
        python=failed.python,
        is_module=failed.is_module,
        folder=target.folder,
        roots=(tree.root,),
        bounds=Bounds(seconds, failed.megabytes),
    )
    with Scratch(tree, _MOST) as scratch:
        scratch.restore(tree)
        order = Order(Role.AFTER, failed.device, lines=lines)
        return execute(request, scratch, tree.root, order)


def moved(line: int, before: bytes, after: bytes) -> int:
    """The number that a line has in another state of its file."""
    old, new = before.split(b"\n"), after.split(b"\n")
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for _, start, end, first, last in matcher.get_opcodes():
        if start < line <= end:
            return min(first + line - start, max(last, first + 1))
    return line


def _came_past(run: Execution, place: str, line: int, root: Path) -> bool:
    """Whether the line has run, and nothing has failed there."""
    ran = any(line in events.executed.get(place, ()) for events in run.observed)
    if run.failure is None:
        return ran and run.ending.how is not How.SIGNAL and run.ending.status == 0
    return ran and not _is_there(run.failure.at, place, line, root)


def _is_there(at: Place | None, place: str, line: int, root: Path) -> bool:
    return at is not None and at.line == line and os.path.relpath(at.file, root) == place
