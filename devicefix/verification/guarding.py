"""A command that starts programs runs in a child of ours, so that nothing outlives it.

A program may kill its parent, and people kill what does not answer. Then its processes become ours,
and are ended, and its temporary folders are removed. Where we are killed, the child is told to end.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Final

from devicefix.verification import process_tree
from devicefix.verification.temporary import sweep

_PASSED_ON: Final = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")


def guard() -> int | None:
    """Go on in a child: None is returned there, and here its exit status when it has ended.

    Where it was killed, so is all that it has started. Only for a process with one thread.
    """
    if not sys.platform.startswith("linux"):
        return None
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    passed_on = {signal.Signals[name] for name in _PASSED_ON}
    handler = signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {*passed_on, signal.SIGCHLD})
    ours = os.getpid()
    with process_tree.adopting_orphans():
        child = os.fork()
        if child == 0:
            process_tree.die_with(ours, signal.SIGTERM)
            signal.signal(signal.SIGCHLD, handler)
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            return None
        return _status(_waited(child, {*passed_on, signal.SIGCHLD}))


def _waited(child: int, signals: set[signal.Signals]) -> int:
    """What waitpid(2) says of ``child``; until then signals go there."""
    while True:
        info = signal.sigwaitinfo(signals)
        if info.si_signo != signal.SIGCHLD:
            if info.si_code <= 0:  # the terminal has sent its own to the child, too
                process_tree.send([child], info.si_signo)
            continue
        while pid := _ended():
            _, status = os.waitpid(pid, 0)
            if pid == child:
                return status


def _ended() -> int:
    """A child that has ended; 0 where there is none."""
    found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    return found.si_pid if found is not None else 0


def _status(status: int) -> int:
    if not os.WIFSIGNALED(status):
        return os.waitstatus_to_exitcode(status)
    number = os.WTERMSIG(status)
    process_tree.kill_descendants(os.getpid())
    sweep(again=True)
    if number == signal.SIGKILL:
        said = (
            "devicefix: its own process was killed; the processes that it had started were stopped"
        )
        os.write(sys.stderr.fileno(), f"{said}\n".encode())
    return 128 + number
