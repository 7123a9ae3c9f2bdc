"""A Python that has devicefix imported; each run is a fork of it, with a fault where one is asked.

Started with the shim loaded: ``warm.py SHIM FOLDER``. An order is a line of JSON on stdin, its end
a line on stdout. FOLDER is for a first run, which imports whatever is imported late.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Any, Final

from devicefix.cli import main
from devicefix.engine import Report, rehearsal, runner
from devicefix.settings import Settings

_PROGRAM: Final = """\
import torch
model = torch.nn.Linear(4, 4).cuda()
print(model(torch.randn(2, 4)))
"""
_reports: dict[str, Report] = {}
"""By the folder that they are about."""


class _Prepared:
    """In the place of a `Rehearsal`."""

    def __init__(self, *_: object, **options: object) -> None:
        pass

    def report(self, *_: object) -> Report:
        return _reports[os.getcwd()]  # noqa: PTH109


_LOG: Final = 250
"""A file number that nobody gets by chance."""


def serve(shim: ctypes.CDLL) -> None:
    """Carry out orders until there are no more."""
    for line in sys.stdin:
        order = json.loads(line)
        if order["prepare"]:
            _prepare(order["folder"])
        child = os.fork()
        if not child:
            _be(order, shim)
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


def _prepare(folder: str) -> None:
    """Find out what `apply` would write there, so that runs that begin so need not."""
    where = Path.cwd()
    os.chdir(folder)
    _reports[folder] = rehearsal([Path()], Settings()).report()
    os.chdir(where)


def _be(order: dict[str, Any], shim: ctypes.CDLL) -> None:
    status = 99
    try:
        os.environ.update(order["environment"])
        os.chdir(order["folder"])
        _redirect(order["output"], order["stdout"])
        _set_clock(order["clock"])
        fault = order["fault"]
        meanwhile = _callback(fault["meanwhile"])
        log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(log, _LOG)
        os.close(log)
        shim.faults_arm(
            os.fsencode(order["root"]), fault["nth"], fault["action"], fault["error"],
            fault["kinds"], fault["lasting"], _LOG, meanwhile,
        )  # fmt: skip
        status = _carried_out(order)
        shim.faults_disarm()
    except BaseException:
        shim.faults_disarm()
        traceback.print_exc()
        sys.stderr.flush()
    os._exit(status)


def _carried_out(order: dict[str, Any]) -> int:
    if order["prepared"]:
        runner.Rehearsal = _Prepared  # type: ignore[assignment,misc]
    if order["program"]:
        told: dict[str, int] = {}
        exec(order["program"], told)  # what a test wants done; it raises where it fails
        sys.stdout.flush()
        return told.get("status", 0)
    return main(order["arguments"])


def _redirect(output: str, stdout: str) -> None:
    for number, name in ((0, os.devnull), (1, stdout), (2, f"{output}.err")):
        flags = os.O_RDONLY if not number else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        opened = os.open(name, flags, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8")
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", buffering=1)


def _set_clock(seconds: float) -> None:
    if seconds:
        now, now_ns = time.time, time.time_ns
        time.time = lambda: now() + seconds
        time.time_ns = lambda: now_ns() + int(seconds * 1e9)


def _callback(program: str) -> Any:
    def meanwhile() -> None:
        exec(program, {})

    return ctypes.CFUNCTYPE(None)(meanwhile)


def _warm_up(folder: Path) -> None:
    os.environ["DEVICEFIX_STATE_DIR"] = str(folder / "state")
    os.environ["DEVICEFIX_CACHE_DIR"] = str(folder / "cache")
    (folder / "warm.py").write_text(_PROGRAM)
    where, out = Path.cwd(), os.dup(1)
    os.chdir(folder)
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    for arguments in (
        ["check", "warm.py"],
        ["apply", "--check", "warm.py"],
        ["apply", "warm.py"],
        ["undo"],
        ["apply", "--output-format", "json", "--dry-run", "warm.py"],
    ):
        main(arguments)
    sys.stdout.flush()
    os.dup2(out, 1)
    os.close(out)
    os.close(nothing)
    os.chdir(where)
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
    _shim = ctypes.CDLL(sys.argv[1])
    _warm_up(Path(sys.argv[2]))
    serve(_shim)
