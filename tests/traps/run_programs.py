"""Run programs on the CPU, each before and after; a process of its own, see test_traps.py.

Reads ``{name: [before]}`` or ``{name: [before, after]}`` on stdin and writes ``{name: what is
wrong}``. torch is loaded once and every program runs in a fork of this process: starting Python for
each takes minutes.
"""

from __future__ import annotations

import gc
import json
import os
import runpy
import signal
import sys
import tempfile
import traceback
from pathlib import Path

import torch._dynamo
import torch.utils.data  # noqa: F401

SECONDS = 60


def main() -> None:
    gc.freeze()  # else each fork copies what its collector looks through
    wrong = {}
    for name, (before, *changed) in json.load(sys.stdin).items():
        status, said = run(before)
        if status:
            wrong[name] = f"does not run: {said}"
        for after in changed:
            if (status, said) != (outcome := run(after)):
                wrong[name] = f"printed {said}, and then {outcome}"
    json.dump(wrong, sys.stdout)


def run(program: str) -> tuple[int, str]:
    """The exit status of a program and what it printed; where it failed, what it complained of."""
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as complaints:
        child = os.fork()
        if child == 0:
            _be(program, output.fileno(), complaints.fileno())
        _, status = os.waitpid(child, 0)
        output.seek(0)
        complaints.seek(0)
        return os.waitstatus_to_exitcode(status), (complaints if status else output).read()


def _be(program: str, output: int, complaints: int) -> None:
    """Become the program; never returns."""
    signal.alarm(SECONDS)
    os.dup2(output, 1)
    os.dup2(complaints, 2)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        sys.argv = [program]
        sys.path[0] = str(Path(program).parent)
        sys.dont_write_bytecode = True
        status = _executed(program)
    sys.stdout.flush()
    os._exit(status)


def _executed(program: str) -> int:
    try:
        runpy.run_path(program, run_name="__main__")
    except SystemExit as end:
        return 1 if end.code else 0
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    main()
