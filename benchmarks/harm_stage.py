"""A Python that has imported torch, and forks programs off itself: ``python harm_stage.py``.

Reads a JSON line for each program and answers with one when it has ended. With the entrance of
devicefix in its environment it has the simulated accelerator; nothing uses that before the fork.
"""

from __future__ import annotations

import gc
import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.machinery import SourceFileLoader
from types import ModuleType
from typing import Any, Final

Job = dict[str, Any]
DEVICEFIX: Final = "devicefix"
_POLL: Final = 0.002


def serve() -> Callable[[], None]:
    """Answer until there is nothing to read; comes back in each process that becomes a program."""
    answers = os.dup(1)
    os.dup2(2, 1)
    job: Job
    while line := sys.stdin.readline():
        job = json.loads(line)
        started = time.monotonic()
        child = os.fork()
        if child == 0:
            os.close(answers)
            _settle(job)
            return lambda: _become(job)
        status, timed_out = _wait(child, started + job["seconds"])
        found = {"status": status, "timed_out": timed_out, "wall": time.monotonic() - started}
        os.write(answers, json.dumps(found).encode() + b"\n")
    os._exit(0)


def _wait(child: int, deadline: float) -> tuple[int, bool]:
    """The status of ``child``; what it has started ends with it."""
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        late = not ended and time.monotonic() > deadline
        if ended or late:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(child, signal.SIGKILL)
        if ended:
            return os.waitstatus_to_exitcode(status), False
        if late:
            os.waitpid(child, 0)
            return -signal.SIGKILL, True
        time.sleep(_POLL)


def _settle(job: Job) -> None:
    """A session, streams, a folder and random numbers of its own."""
    os.setsid()
    for number, name in enumerate((os.devnull, job["out"], job["err"])):
        opened = os.open(name, os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT)
        os.dup2(opened, number)
        os.close(opened)
    os.chdir(job["folder"])
    _not_forked()
    numpy = sys.modules.get("numpy")
    torch = sys.modules.get("torch")
    random.seed(0)
    if numpy is not None:
        numpy.random.seed(0)
    if torch is not None:
        torch.manual_seed(0)
    if "DEVICEFIX_HOST_DRAWS" in os.environ:
        _draw_as_the_cpu_does()


def _not_forked() -> None:
    """A program that was started afresh may use the accelerator; so may this one."""
    if "DEVICEFIX_SIMULATE" in os.environ:
        from devicefix.simulator import installed

        accelerator = installed()
        assert accelerator is not None
        accelerator.forked = False


def _draw_as_the_cpu_does() -> None:
    """What is drawn on the card or on the CPU comes from one generator, in the same order."""
    from devicefix.observe.real.drawing import HostDraws
    from devicefix.observe.real.settings import compute_as_the_host_does

    compute_as_the_host_does()
    HostDraws().__enter__()


def _become(job: Job) -> None:
    """Run the command line of devicefix, or a script as ``python ENTRY ARGUMENTS`` would."""
    entry, arguments = job["entry"], job["arguments"]
    if entry == DEVICEFIX:
        from devicefix.cli import main

        sys.exit(main(arguments))
    path = os.path.abspath(entry)  # noqa: PTH100 - as Python does it
    sys.argv = [entry, *arguments]
    sys.path[0] = os.path.dirname(path)  # noqa: PTH120
    module = ModuleType("__main__")
    module.__dict__["__builtins__"] = sys.modules["builtins"]
    module.__file__ = path
    module.__loader__ = SourceFileLoader("__main__", path)
    sys.modules["__main__"] = module
    with open(path, "rb") as file:  # noqa: PTH123
        code = compile(file.read(), path, "exec", dont_inherit=True)
    exec(code, module.__dict__)


def _import_ahead() -> None:
    """What nearly every program imports, or what `devicefix apply` does."""
    if sys.argv[1:] == [DEVICEFIX]:
        import devicefix.cli.apply
        import devicefix.engine.registry

        devicefix.engine.registry.load_codemods()
        return
    import numpy  # noqa: F401
    import torch
    import torch._dynamo
    import torch.optim
    import torch.utils.data

    torch.set_num_threads(1)


if __name__ == "__main__":
    ours = sys.modules["__main__"]  # whose functions are needed to the end
    _import_ahead()
    gc.freeze()
    serve()()
