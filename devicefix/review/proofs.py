"""The verification that the page shows: while it runs, and what it found about what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from starlette.concurrency import run_in_threadpool

from devicefix.engine import Report
from devicefix.review.proving import Prover
from devicefix.verification import LaunchError


@dataclass(frozen=True, slots=True)
class _Proof:
    """What is known."""

    of: frozenset[str]
    """The fixes that were accepted then."""
    steps: tuple[str, ...] = ()
    running: bool = True
    found: dict[str, Any] | None = None
    error: str = ""


class Proofs:
    """Runs one verification at a time, if there is a program to run."""

    def __init__(self, prover: Prover | None, tell: Callable[[], None]) -> None:
        self._prover = prover
        self._tell = tell
        self._proof: _Proof | None = None

    @property
    def command(self) -> str | None:
        """What is run; None where nothing is to be."""
        return self._prover.program.command if self._prover is not None else None

    def status(self, accepted: frozenset[str]) -> dict[str, Any] | None:
        """For the page; whether it is about what is ``accepted`` now."""
        proof = self._proof
        if proof is None:
            return None
        return {
            "running": proof.running,
            "steps": proof.steps,
            "found": proof.found,
            "error": proof.error,
            "current": proof.of == accepted,
        }

    async def prove(self, report: Report, accepted: frozenset[str]) -> None:
        """Verify what ``report`` holds; nothing if that is being done already."""
        prover = self._prover
        if prover is None or (self._proof is not None and self._proof.running):
            return
        self._show(_Proof(accepted))
        found, error = None, "devicefix failed; see the terminal"
        try:
            found = await run_in_threadpool(prover.prove, report, self._step)
        except LaunchError as failure:
            error = str(failure)
        finally:
            steps = self._proof.steps if self._proof is not None else ()
            self._show(_Proof(accepted, steps, False, found, error))

    def stop(self) -> None:
        """End the one that runs."""
        if self._prover is not None:
            self._prover.stop()

    def forget(self) -> None:
        """The files are others now."""
        self.stop()
        self._proof = None

    def _step(self, name: str) -> None:
        if self._proof is not None:
            self._show(replace(self._proof, steps=(*self._proof.steps, name)))

    def _show(self, proof: _Proof) -> None:
        self._proof = proof
        self._tell()
