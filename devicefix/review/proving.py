"""A verification of what is accepted, in a child process: it takes minutes, and can be ended.

The child keeps what it found out about the program before the change, for the next verification.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import TYPE_CHECKING, Any

from devicefix.engine import Choice, Report
from devicefix.engine.interpreter import SAFE_PATH, nothing_from_here
from devicefix.reporting.page.content import group_of
from devicefix.reporting.page.evidence import evidence_of
from devicefix.verification import LaunchError
from devicefix.verification.trials import Trials

if TYPE_CHECKING:
    from devicefix.verification.request import Candidate, Request
    from devicefix.verification.result import Verification
    from devicefix.verification.trees import Tree

Notify = Callable[[str], None]
"""Hears of each step."""
_PATIENCE = 10.0
"""Seconds for a child to clear its copy away."""


@dataclass(frozen=True, slots=True)
class Program:
    """What is run."""

    request: Request
    before: Tree
    command: str
    """As the user wrote it."""


class Prover:
    """Runs verifications, one at a time."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._child: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._notify: Notify = print

    def prove(self, report: Report, told: Notify) -> dict[str, Any]:
        """What becomes of the program with what ``report`` changes. Raises `LaunchError`."""
        self._notify = told
        trials = Trials(lambda choice: report, self._verify, self.program.before.root, most=1)
        trial = trials.of(Choice())
        lacking = ((group, trial.lacks(group)) for group in report.groups)
        return {
            **evidence_of(trial.verification),
            "idle": [{**group_of(group), "why": why} for group, why in lacking if why],
        }

    def stop(self) -> None:
        """End what runs; who waits in `prove` gets a `LaunchError`."""
        child = self._child
        if child is None:
            return
        child.terminate()
        child.join(_PATIENCE)
        if child.is_alive():
            child.kill()
        self._child = None

    def _verify(self, after: Candidate, devices: Sequence[str] | None) -> Verification:
        pipe = self._connected()
        try:
            pipe.send(after)
            while True:
                kind, what = pipe.recv()
                if kind == "step":
                    self._notify(what)
                elif kind == "found":
                    return what  # type: ignore[no-any-return]
                else:
                    raise LaunchError(what)
        except (EOFError, OSError):
            self.stop()
            raise LaunchError("it was stopped") from None

    def _connected(self) -> Connection:
        if self._child is None or not self._child.is_alive() or self._pipe is None:
            # A fork would have the threads of the server half in it.
            context = multiprocessing.get_context("spawn")
            self._pipe, theirs = context.Pipe()
            self._child = context.Process(
                target=_serve,
                args=(theirs, self.program.request, self.program.before, os.environ.get(SAFE_PATH)),
                daemon=True,
            )
            with nothing_from_here():
                self._child.start()
            theirs.close()
        return self._pipe


# -- in the child ----------------------------------------------------------------------------------


def _serve(pipe: Connection, request: Request, before: Tree, safe_path: str | None) -> None:
    from devicefix.verification.verifying import Verifier

    del os.environ[SAFE_PATH]  # it held for us; the program may import what lies around it
    if safe_path is not None:
        os.environ[SAFE_PATH] = safe_path
    signal.signal(signal.SIGTERM, _end)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server is told, and tells us

    def told(step: str) -> None:
        pipe.send(("step", step))

    with contextlib.suppress(EOFError, OSError), Verifier(request, before, told) as verifier:
        while True:
            after = pipe.recv()
            try:
                pipe.send(("found", verifier.verify(after)))
            except LaunchError as error:
                pipe.send(("failed", str(error)))


def _end(number: int, frame: object) -> None:
    sys.exit(128 + number)  # through the context managers: the copy of the tree goes
