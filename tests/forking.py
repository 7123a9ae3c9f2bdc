"""Programs of tests, forked off a Python that has torch: quicker than to import it each time.

That this is the same as a start from nothing is what tests/verification/test_warming.py says.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from devicefix.records import Ending
from devicefix.verification import Bounds
from devicefix.verification.starting import Apart, Starter, start
from devicefix.verification.supervision import supervise
from devicefix.verification.warming import ForkServer

_FORK_SERVER: Final = ForkServer(sys.executable, compiles=True)
atexit.register(_FORK_SERVER.__exit__)


def run_text(program: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run ``program`` as a file of ``folder``, where it also works."""
    script = folder / "program.py"
    script.write_text(program)
    return run_forked((sys.executable, script.name, *arguments), os.environ, folder)


def run_script(script: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run ``script`` where it lies."""
    return run_forked((sys.executable, script.name, *arguments), os.environ, script.parent)


def run_forked(
    command: tuple[str, ...], environment: Mapping[str, str], folder: Path
) -> subprocess.CompletedProcess[str]:
    """Run ``command`` in ``folder``, as `subprocess.run` does; afresh where it cannot be forked."""
    with (
        Path(os.devnull).open("rb") as nothing,
        tempfile.TemporaryFile("w+") as out,
        tempfile.TemporaryFile("w+") as err,
    ):
        apart = Apart(folder, nothing.fileno(), out.fileno(), err.fileno())
        ending = supervise(command, environment, Bounds(600), apart, _starter(command, folder))
        out.seek(0)
        err.seek(0)
        status = ending.status if ending.signal is None else -ending.signal
        return subprocess.CompletedProcess(command, status, out.read(), err.read())


def supervise_forked(
    command: tuple[str, ...], environment: Mapping[str, str], bounds: Bounds
) -> Ending:
    """As `supervise`, for a program that has our output and no input."""
    folder = Path.cwd()
    with Path(os.devnull).open("rb") as nothing:
        apart = Apart(folder, nothing.fileno(), 1, 2)
        return supervise(command, environment, bounds, apart, _starter(command, folder))


def _starter(command: tuple[str, ...], folder: Path) -> Starter:
    return _FORK_SERVER.start if _FORK_SERVER.takes(command, folder, folder) else start


class Borrowed(ForkServer):
    """In the place of a verification's own: that of the tests, which has torch by now."""

    def takes(self, command: tuple[str, ...], folder: Path, root: Path) -> bool:
        return _FORK_SERVER.takes(command, folder, root)

    def _started(
        self,
        command: tuple[str, ...],
        environment: Mapping[str, str],
        apart: Apart | None,
        moved: bool,
    ) -> int:
        return _FORK_SERVER._started(command, environment, apart, moved)
