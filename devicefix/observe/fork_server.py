"""A Python that has imported torch and forks programs off itself: ``fork_server.py FD MODULE…``.

Importing torch takes longer than most small programs; a verification runs them many times. What is
forked here is told the same as what is started afresh, and comes by the same entrance: it has an
environment, a folder, streams and a session of its own. Its parent ends at once, so that it becomes
a child of the process that asked for it. Standard library only, but for what is imported ahead:
the modules that are named, and our own that every program gets that imports torch.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import importlib
import importlib.util
import json
import os
import random
import socket
import sys
import traceback
import weakref
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any, Final

_OURS: Final = (
    "devicefix.observe.entering",
    "devicefix.observe.observation",
    "devicefix.observe.witness.attending",
    "devicefix.observe.witness.namespace",
    "devicefix.observe.real.preparing",
    "devicefix.simulator.installation",
)
"""None of them does anything by being imported."""
_LENGTH: Final = 8
"""Bytes that say how long a message is."""
_STREAMS: Final = 3
_HERE: Final = Path(__file__).absolute().parent
_SMALL: Final = range(1, 512, 16)
"""A size of each kind that Python's allocator tells apart, in bytes."""
_LARGE: Final = range(1 << 10, 1 << 17, 1 << 10)
"""Sizes that it leaves to the allocator of C."""
_MAPPED: Final = range(1 << 20, 1 << 24, 1 << 12)
"""And those that this one leaves to the system, which hands out pages from top to bottom."""
_MOST: Final = 64

Job = dict[str, Any]


def main() -> Job:
    """Serve until the channel is closed; comes back in each process that becomes a program."""
    channel = socket.socket(fileno=int(sys.argv[1]))
    atexit.register(_forget_what_was_imported_ahead)  # the first that registers is the last to run
    before = set(sys.modules)
    gc.disable()  # what is imported stays: searching it for garbage takes a tenth of the time
    _import_ahead(sys.argv[2:])
    _AHEAD.update({name: sys.modules[name] for name in sys.modules.keys() - before})
    _send(channel, {"modules": sorted(sys.modules)})
    gc.freeze()
    gc.enable()
    while True:
        received = _receive(channel)
        if received is None:
            os._exit(0)
        job, streams = received
        program = _fork_orphan()
        if program == 0:
            channel.close()
            _settle(job, streams)
            return job
        _send(channel, {"pid": program})
        for stream in streams:
            os.close(stream)


_AHEAD: Final[dict[str, Any]] = {}
"""The modules that were imported ahead. It holds itself, frozen: nothing ends it."""
_AHEAD[""] = _AHEAD


def _forget_what_was_imported_ahead() -> None:
    """Let the end of Python take the program's own modules apart, and no others.

    Those that were imported ahead are shared with the process that this one was forked from. To
    empty them is to copy all of their memory first, which takes as long as a small program; the
    system takes it back in one.
    """
    for name, module in _AHEAD.items():
        if sys.modules.get(name) is module:
            del sys.modules[name]


def _leave_the_rest_to_the_system() -> None:
    """What was made before the program's first line is not taken apart at its end.

    Neither what torch and the simulator would have finalized, kernel by kernel, nor what C++ would
    destroy behind Python's own end. Of the handlers of C what is registered last comes first
    (on_exit(3), of glibc): those of the program, then all that is buffered is written, and the
    process ends with its status.
    """
    for finalizer in list(weakref.finalize._registry):  # type: ignore[attr-defined]
        finalizer.atexit = False
    library = ctypes.CDLL(None)
    if hasattr(library, "on_exit"):
        library.on_exit(library._exit, None)
        library.on_exit(library.fcloseall, None)


def _fork_orphan() -> int:
    """As `os.fork`, but that the new process is no child of ours: its parent has ended."""
    read, write = os.pipe()
    first = os.fork()
    if first == 0:
        program = os.fork()
        if program == 0:
            os.close(read)
            os.close(write)
            return 0
        os.write(write, b"%d" % program)
        os._exit(0)
    os.close(write)
    os.waitpid(first, 0)
    with os.fdopen(read, "rb") as told:
        return int(told.read())


def _import_ahead(names: list[str]) -> None:
    sys.path.pop(0)  # our own folder: a program has its own there
    for name in names:
        _try_import(name)
    if "torch" not in sys.modules:
        return
    sys.meta_path.insert(0, _entrance().finder)
    for name in _OURS:
        _try_import(name)
    sys.meta_path.pop(0)
    _read_ahead()


def _read_ahead() -> None:
    try:
        from devicefix.simulator.registration import read_ahead

        read_ahead()
    except Exception:  # of this torch nothing is known: a program that needs it will be told
        traceback.clear_frames(sys.exc_info()[2])


def _try_import(name: str) -> None:
    try:
        importlib.import_module(name)
    except Exception:  # then the program will find out by itself
        traceback.clear_frames(sys.exc_info()[2])


def _send(channel: socket.socket, content: Job) -> None:
    message = json.dumps(content).encode()
    channel.sendall(len(message).to_bytes(_LENGTH, "big") + message)


def _receive(channel: socket.socket) -> tuple[Job, list[int]] | None:
    """What to become, and the streams for it; None when nobody asks any more."""
    head, streams, _, _ = socket.recv_fds(channel, _LENGTH, _STREAMS)
    if len(head) < _LENGTH:
        return None
    left, parts = int.from_bytes(head, "big"), []
    while left:
        part = channel.recv(min(left, 1 << 16))
        if not part:
            return None
        parts.append(part)
        left -= len(part)
    job: Job = json.loads(b"".join(parts))
    return job, list(streams)


def _settle(job: Job, streams: list[int]) -> None:
    """Be as a process is that was started for this job."""
    os.setsid()
    for theirs, ours in enumerate(streams):
        os.dup2(ours, theirs)
    for stream in streams:
        os.close(stream)
    os.chdir(job["folder"])
    os.environ.clear()
    os.environ.update(job["environment"])
    sys.dont_write_bytecode = bool(os.environ.get("PYTHONDONTWRITEBYTECODE"))
    if job["moved"]:
        _TAKEN.extend(_moved())


_TAKEN: Final[list[bytes]] = []


def _moved() -> list[bytes]:
    """Blocks of memory of many sizes: what a program makes beside them has other addresses.

    All that is forked here would have the same ones, and what is ordered or printed by address
    would seem to be the same each time. A new process gets other ones from the system.
    """
    chance = random.SystemRandom()
    few = (size for size in _SMALL for _ in range(chance.randrange(_MOST)))
    many = chance.choices(_LARGE, k=_MOST)
    return [bytes(size) for size in (*few, *many, chance.choice(_MAPPED))]


def _entrance() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "devicefix_entrance", _HERE / "entrance" / "sitecustomize.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _enter() -> None:
    """Come by the entrance, as a new interpreter does."""
    _entrance().enter()


def _main_module(path: str | None) -> ModuleType:
    module = ModuleType("__main__")
    module.__dict__["__builtins__"] = sys.modules["builtins"]
    if path is not None:
        module.__file__ = path
        module.__loader__ = SourceFileLoader("__main__", path)
        module.__dict__["__cached__"] = None
    sys.modules["__main__"] = module
    return module


def _run_script(name: str, arguments: list[str]) -> None:
    path = os.path.abspath(name)  # noqa: PTH100 - as Python does it
    sys.argv = [name, *arguments]
    sys.path.insert(0, os.path.dirname(os.path.realpath(path)))  # noqa: PTH120
    module = _main_module(path)
    with open(path, "rb") as file:  # noqa: PTH123
        code = compile(file.read(), path, "exec", dont_inherit=True)
    exec(code, module.__dict__)


def _run_module(name: str, arguments: list[str]) -> None:
    import runpy

    sys.argv = ["-m", *arguments]
    sys.path.insert(0, os.getcwd())  # noqa: PTH109
    _main_module(None)
    runpy._run_module_as_main(name)  # type: ignore[attr-defined]


def become(job: Job) -> None:
    """Run the program."""
    python, *command = job["command"]
    sys.orig_argv[:] = [python, *command]
    if "DEVICEFIX_SIMULATE" in os.environ or "DEVICEFIX_OBSERVE" in os.environ:
        _enter()
    _leave_the_rest_to_the_system()
    if command[0] == "-m":
        _run_module(command[1], command[2:])
    else:
        _run_script(command[0], command[1:])


if __name__ == "__main__":
    ours = sys.modules["__main__"]  # whose functions are needed to the end
    become(main())
