"""A Python that has torch imported already, from which the runs of a verification are forked."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Final

from devicefix.verification.environment import ENTRANCE, entered
from devicefix.verification.errors import LaunchError
from devicefix.verification.starting import Apart

_FORK_SERVER: Final = ENTRANCE.parent / "fork_server.py"
_COMPILER: Final = "torch._dynamo"
_HINTS: Final = (b"torch.compile", b"import compile", b"dynamo")
"""Where no file says so, the compiler is not imported ahead: it takes as long as all the rest. A
program that needs it all the same imports it."""
_LENGTH: Final = 8
_PATIENCE: Final = 120.0
"""Seconds that importing torch may take."""


class ForkServer:
    """A process of the user's interpreter; a context manager.

    It is started with the first program that it takes. Where it cannot be, programs are started
    afresh: `takes` is false.
    """

    ahead: ClassVar = ("numpy", "torch", "torch.nn", "torch.optim", "torch.utils.data")
    """What nearly every program imports."""

    def __init__(self, python: str, compiles: bool = False) -> None:
        """``compiles``: the compiler is imported ahead in any case."""
        self._python = python
        self._channel: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._modules: frozenset[str] = frozenset()
        self._failed = False
        self._compiles = compiles

    def __enter__(self) -> ForkServer:
        return self

    def __exit__(self, *error: object) -> None:
        if self._channel is not None:
            self._channel.close()
        if self._process is not None:
            self._process.kill()  # it may be importing still, and nobody wants that any more
            self._process.wait()
        self._channel = self._process = None

    def takes(self, command: tuple[str, ...], folder: Path, root: Path) -> bool:
        """Whether ``command`` can be run from here as if it had been started afresh.

        It has to be a script or a module for this interpreter, from a tree below ``root`` of which
        some file speaks of torch. One that has files of its own by the name of a module that is
        imported ahead would get the wrong one.
        """
        if command[0] != self._python or len(command) < 2 or self._failed:
            return False
        if command[1] != "-m" and not command[1].endswith(".py"):
            return False
        if self._process is None and not self._look(root):
            return False
        place = folder if command[1] == "-m" else (folder / command[1]).resolve().parent
        return self._is_ready() and self._modules.isdisjoint(_importable(place))

    def _look(self, root: Path) -> bool:
        """Whether importing torch ahead may be of use; and what else."""
        texts = [_content(path) for path in root.rglob("*.py")]
        self._compiles |= any(hint in text for text in texts for hint in _HINTS)
        return any(b"torch" in text for text in texts)

    def start_elsewhere(
        self,
        command: tuple[str, ...],
        environment: Mapping[str, str],
        mask: set[signal.Signals],
        apart: Apart | None,
    ) -> int:
        """As `start`, but that what the program makes has other addresses in memory each time."""
        return self._started(command, environment, apart, moved=True)

    def start(
        self,
        command: tuple[str, ...],
        environment: Mapping[str, str],
        mask: set[signal.Signals],
        apart: Apart | None,
    ) -> int:
        """The number of a new process that runs ``command``; a `Starter`."""
        return self._started(command, environment, apart, moved=False)

    def _started(
        self,
        command: tuple[str, ...],
        environment: Mapping[str, str],
        apart: Apart | None,
        moved: bool,
    ) -> int:
        assert apart is not None
        assert self._channel is not None
        job = {
            "command": command,
            "environment": dict(environment),
            "folder": str(apart.folder),
            "moved": moved,
        }
        try:
            _send(self._channel, job, (apart.stdin, apart.stdout, apart.stderr))
            return int(_receive(self._channel)["pid"])
        except (OSError, ValueError) as error:
            raise LaunchError(f"{command[0]} cannot be started: {error}") from None

    def _is_ready(self) -> bool:
        if self._process is None:
            try:
                self._begin()
            except (OSError, ValueError):
                self._failed = True
        return not self._failed

    def _begin(self) -> None:
        ours, theirs = socket.socketpair()
        ahead = (*self.ahead, *[_COMPILER] * self._compiles)
        with theirs:
            self._channel = ours
            self._process = subprocess.Popen(
                [self._python, str(_FORK_SERVER), str(theirs.fileno()), *ahead],
                env={"PYTHONHASHSEED": "0", **entered(os.environ), "CUDA_VISIBLE_DEVICES": ""},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        ours.settimeout(_PATIENCE)
        self._modules = frozenset(_receive(ours)["modules"])
        if "torch" not in self._modules:
            raise ValueError("there is no torch to import ahead")


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _importable(folder: Path) -> frozenset[str]:
    """Names of the modules that lie in ``folder``."""
    return frozenset(path.name.partition(".")[0] for path in folder.iterdir())


def _send(channel: socket.socket, content: Mapping[str, Any], streams: tuple[int, ...]) -> None:
    message = json.dumps(content).encode()
    socket.send_fds(channel, [len(message).to_bytes(_LENGTH, "big")], streams)
    channel.sendall(message)


def _receive(channel: socket.socket) -> dict[str, Any]:
    """Raises `OSError` and `ValueError` where nothing comes."""
    head = _exactly(channel, _LENGTH)
    found: dict[str, Any] = json.loads(_exactly(channel, int.from_bytes(head, "big")))
    return found


def _exactly(channel: socket.socket, count: int) -> bytes:
    parts = b""
    while len(parts) < count:
        part = channel.recv(count - len(parts))
        if not part:
            raise ValueError("the process that imports torch has ended")
        parts += part
    return parts
