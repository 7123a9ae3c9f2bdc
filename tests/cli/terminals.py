"""Commands on pseudo-terminals, forked off one Python that has loaded devicefix already."""

from __future__ import annotations

import json
import os
import pty
import socket
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pexpect import EOF
from pexpect.fdpexpect import fdspawn


class ForkServer:
    """The Python that they are forked off; it has no threads, so that is safe."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._socket, theirs = socket.socketpair()
        self._socket.settimeout(60)
        command = [sys.executable, __file__, str(theirs.fileno())]
        self._process = subprocess.Popen(command, env=environment, pass_fds=[theirs.fileno()])
        theirs.close()

    def start(self, arguments: Sequence[str], folder: Path, **environment: str) -> Terminal:
        """Run devicefix in ``folder``."""
        order = {"arguments": arguments, "folder": str(folder), "environment": environment}
        self._socket.sendall(json.dumps(order).encode() + b"\n")
        _, (terminal, *_), _, _ = socket.recv_fds(self._socket, 1, 1)
        return Terminal(terminal, self._socket)

    def close(self) -> None:
        self._socket.close()
        self._process.wait()


class Terminal:
    """One run."""

    def __init__(self, terminal: int, fork_server: socket.socket) -> None:
        self._terminal = terminal
        self._fork_server = fork_server
        self._child: Any = fdspawn(terminal, encoding="utf-8", timeout=60)
        self._child.delaybeforesend = None

    def hang_up(self) -> None:
        """End it, if it has not ended."""
        if not self._child.closed:
            self._child.close()
            self._fork_server.recv(16)

    def press(self, keys: str, question: str) -> str:
        """Press ``keys``, each when ``question`` has been asked; what was said until then."""
        said = ""
        for key in keys:
            self._child.expect(question)
            said += self._child.before
            while termios.tcgetattr(self._terminal)[3] & termios.ICANON:
                time.sleep(0.001)  # what is typed before a key is waited for is thrown away
            self._child.send(key)
        return said

    def end(self) -> tuple[int, str]:
        """The exit status, and what was said at last."""
        self._child.expect(EOF)
        said: str = self._child.before
        self._child.close()
        return int(self._fork_server.recv(16)), said


def _serve(orders: socket.socket) -> None:
    with orders.makefile() as lines:
        for line in lines:
            child, terminal = pty.fork()
            if not child:
                _run(**json.loads(line))
            socket.send_fds(orders, [b"x"], [terminal])
            os.close(terminal)
            _, status = os.waitpid(child, 0)
            orders.sendall(str(os.waitstatus_to_exitcode(status)).encode())


def _run(arguments: list[str], folder: str, environment: dict[str, str]) -> None:
    from devicefix.cli import main

    status = 99
    try:
        os.chdir(folder)
        os.environ.update(environment)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - a terminal now
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        status = main(arguments)
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(status)


def _load() -> None:
    """What every run needs."""
    import pyflakes.checker  # type: ignore[import-untyped]  # noqa: F401
    from rich import box, markdown, table, text  # noqa: F401

    import devicefix.cli.interactive
    import devicefix.proposals.walk
    import devicefix.reporting.progress
    import devicefix.reporting.proposal_text  # noqa: F401
    from devicefix.engine.workbench import open_workbench
    from devicefix.settings import Settings

    open_workbench(Settings(), None, None)


if __name__ == "__main__":
    _load()
    _serve(socket.socket(fileno=int(sys.argv[1])))
