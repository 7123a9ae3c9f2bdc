"""One program while it runs: its signals, its bounds, its end.

It shares our terminal, our process group and our open files, so that it reads, prints and is
stopped as if it had been started without us; or it is kept apart, and then ends when we do. What
it leaves behind is found through `/proc`.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from devicefix.records import Ending, How
from devicefix.verification import process_tree
from devicefix.verification.starting import Apart, Starter, start

TIMED_OUT: Final = 124
"""The status of coreutils' ``timeout``."""
KILLED: Final = 128 + 9
"""As after the kernel's own killer of processes that use up the memory."""
GRACE: Final = 5.0
"""Seconds that a program has to end when it was asked to."""
_POLL: Final = 0.05
_POLL_SHARE: Final = 0.02
"""Of one processor, that may be spent on looking at memory."""
_MEGABYTE: Final = 1_000_000
_LOOK: Final = 0.1
"""Seconds; a thread of ours may have been told of the end in our place."""


def _known(*names: str) -> frozenset[signal.Signals]:
    """Some do not exist on other systems, where this is imported and never used."""
    return frozenset(found for found in signal.Signals if found.name in names)


_FORWARDED: Final = _known("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")
_ENDING: Final = _known("SIGTERM", "SIGHUP", "SIGQUIT")
"""Signals that ask us, and so the program with all its children, to end."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How long a program may run and how much it may hold; None: as it likes."""

    seconds: float | None = None
    megabytes: int | None = None
    """Resident memory of all its processes, in 1,000,000 bytes."""


def supervise(
    command: tuple[str, ...],
    environment: Mapping[str, str],
    bounds: Bounds,
    apart: Apart | None = None,
    starter: Starter = start,
) -> Ending:
    """Run ``command`` to its end. Raises `LaunchError` where it cannot be started.

    One that runs ``apart`` leaves no process behind, and what would end us ends it first: then
    `KeyboardInterrupt` or `SystemExit` is raised.
    """
    with _signals_held() as mask, process_tree.adopting_orphans():
        others = set(process_tree.descendants(os.getpid()))
        started = starter(command, environment, mask, apart)
        supervisor = _Supervisor(started, bounds, others, is_apart=apart is not None)
        try:
            return supervisor.watch()
        except BaseException:
            supervisor.kill()
            raise


@contextmanager
def _signals_held() -> Iterator[set[signal.Signals]]:
    """Signals wait until `_Supervisor` asks for them; gives those that were held before."""
    before = signal.getsignal(signal.SIGCHLD)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # if ignored, children leave no status behind
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {*_FORWARDED, signal.SIGCHLD})
    try:
        yield {signal.Signals(number) for number in mask}
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGCHLD, before)


class _Supervisor:
    def __init__(self, pid: int, bounds: Bounds, others: set[int], is_apart: bool) -> None:
        self._pid = pid
        self._bounds = bounds
        self._is_apart = is_apart
        self._started = time.monotonic()
        self._deadlines = _Deadlines(self._started, bounds.seconds)
        self._others = others
        """Children that we had before: none of the program's."""
        self._asked = False
        """Whether somebody wants us to end."""
        self._held: int | None = None
        """Bytes, where that was too much."""

    def watch(self) -> Ending:
        """Wait for the end of the program, or bring it about."""
        while (status := self._reaped()) is None:
            step = self._deadlines.due(time.monotonic())
            if step is not None:
                self._end_by(step)
            pause = self._check_memory() if self._bounds.megabytes is not None else None
            look = _LOOK if self._is_apart else None
            self._wait(self._deadlines.left(time.monotonic()), pause, look)
        if self._asked or self._is_apart or self._bounds != Bounds():
            self.kill()  # nobody would hold what it leaves behind to its bounds
        return self._ending_of(status)

    def kill(self) -> None:
        """End the program and all that it started."""
        process_tree.kill_descendants(os.getpid(), self._others)
        self._reap_orphans()

    def _wait(self, *seconds: float | None) -> None:
        """Until a signal comes, or the first of these times is over."""
        signals = {*_FORWARDED, signal.SIGCHLD}
        times = [some for some in seconds if some is not None]
        if not times:
            self._pass_on(signal.sigwaitinfo(signals))
            return
        info = signal.sigtimedwait(signals, max(0.0, min(times)))
        # Who was stopped until the time is over is told of a signal that there was not.
        if info is not None and info.si_signo in signals:
            self._pass_on(info)

    def _pass_on(self, info: signal.struct_siginfo) -> None:
        """Forward a signal, but those of the terminal: it has sent them to the program, too."""
        number = signal.Signals(info.si_signo)
        if number is signal.SIGCHLD:
            return
        if self._is_apart:
            _end_us(number)
            return
        if number in _ENDING:
            self._asked = True
            self._deadlines.kill_at(time.monotonic() + 2 * GRACE)
        if info.si_code <= 0:  # sent by a process: sigaction(2), SI_USER and below
            process_tree.send([self._pid], number)

    def _end_by(self, step: signal.Signals) -> None:
        if step is signal.SIGKILL:
            self.kill()
        else:
            process_tree.send(self._mine(), step)

    def _mine(self) -> set[int]:
        """The processes of the program."""
        return set(process_tree.descendants(os.getpid())) - self._others

    def _check_memory(self) -> float:
        """End a program that holds too much; seconds until the next look."""
        began = time.thread_time()
        most = (self._bounds.megabytes or 0) * _MEGABYTE
        held = process_tree.resident_bytes(self._mine(), most)
        if held > most:
            self._held = held
            self.kill()
        return max(_POLL, (time.thread_time() - began) / _POLL_SHARE)

    def _reaped(self) -> int | None:
        """What waitpid(2) says of the program; None while it runs."""
        self._reap_orphans()
        pid, status = os.waitpid(self._pid, os.WNOHANG)
        return status if pid else None

    def _reap_orphans(self) -> None:
        """Those that have ended since they became ours."""
        while (ended := _first_ended()) is not None and ended not in {self._pid, *self._others}:
            os.waitpid(ended, 0)

    def _ending_of(self, status: int) -> Ending:
        seconds = time.monotonic() - self._started
        if self._held is not None:
            held = self._held // _MEGABYTE
            return Ending(How.MEMORY, KILLED, seconds, signal.SIGKILL, held)
        if self._deadlines.timed_out:
            return Ending(How.TIMEOUT, TIMED_OUT, seconds)
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            return Ending(How.SIGNAL, 128 + number, seconds, number)
        return Ending(How.EXITED, os.waitstatus_to_exitcode(status), seconds)


def _end_us(number: signal.Signals) -> None:
    """Raise what ends our own program, so that all is cleared away."""
    if number is signal.SIGINT:
        raise KeyboardInterrupt
    if number in _ENDING:
        raise SystemExit(128 + number)


def _first_ended() -> int | None:
    """A child of ours that has ended and was not waited for."""
    try:
        found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return None
    return found.si_pid if found is not None else None


class _Deadlines:
    """When to ask a program to end, and when to end it."""

    def __init__(self, now: float, seconds: float | None) -> None:
        self._steps: list[tuple[float, signal.Signals]] = []
        self.timed_out = False
        if seconds is not None:
            end = now + seconds
            self._steps = [
                # As Ctrl-C does, so that its traceback says where it was.
                (end, signal.SIGINT),
                (end + GRACE, signal.SIGKILL),
            ]

    def kill_at(self, when: float) -> None:
        """Not later than ``when``."""
        self._steps.append((when, signal.SIGKILL))
        self._steps.sort()

    def left(self, now: float) -> float | None:
        """Seconds to the next step; None where there is none."""
        return self._steps[0][0] - now if self._steps else None

    def due(self, now: float) -> signal.Signals | None:
        """The step that has to be taken now."""
        if not self._steps or self._steps[0][0] > now:
            return None
        step = self._steps.pop(0)[1]
        self.timed_out = self.timed_out or step is signal.SIGINT
        return step
