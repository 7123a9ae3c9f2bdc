"""Runs programs one after the other in one process, on the CPU or on the simulated accelerator.

Reads a JSON line with a text, writes one with what came of it. Torch is imported once.
"""

from __future__ import annotations

import io
import json
import os
import random
import sys
import time
import traceback
import types
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any

import numpy as np
import torch
from torch import nn


def main(device: str) -> None:
    """Answer until there is nothing more to read."""
    if device != "cpu":
        from devicefix.simulator import install

        install(device)
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        answers.write(json.dumps(_ran(json.loads(line))) + "\n")
        answers.flush()


def _ran(files: dict[str, str]) -> dict[str, Any]:
    seen: set[str] = set()
    out = io.StringIO()
    error = ""
    started = time.process_time()
    with _clean(files, seen) as module, redirect_stdout(out), redirect_stderr(io.StringIO()):
        try:
            exec(compile(files["__main__"], "program.py", "exec"), module.__dict__)
        except BaseException as raised:
            place = traceback.extract_tb(raised.__traceback__)
            lines = [f.lineno for f in place if f.filename.endswith("program.py")]
            message = str(raised).split("\n")[0]
            error = f"{type(raised).__name__}: {message} (line {lines[-1] if lines else 0})"
    return {
        "out": out.getvalue(),
        "error": error,
        "devices": sorted(seen),
        "seconds": time.process_time() - started,
    }


@contextmanager
def _clean(files: dict[str, str], seen: set[str]) -> Iterator[types.ModuleType]:
    """A main module and nothing left of the program before."""
    torch.set_default_dtype(torch.float32)
    torch.set_default_device(None)
    torch.set_grad_enabled(True)
    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(0)
    module = types.ModuleType("__main__")
    main, sys.modules["__main__"] = sys.modules["__main__"], module
    others = {name: types.ModuleType(name) for name in files if name != "__main__"}
    watch = nn.modules.module.register_module_forward_pre_hook(_watcher(seen))
    try:
        sys.modules.update(others)
        for name, other in others.items():
            exec(compile(files[name], f"{name}.py", "exec"), other.__dict__)
        yield module
    finally:
        watch.remove()
        sys.modules["__main__"] = main
        for name in others:
            del sys.modules[name]


def _watcher(seen: set[str]) -> Any:
    def watch(module: nn.Module, _: Any) -> None:
        seen.update(parameter.device.type for parameter in module.parameters(recurse=False))

    return watch


if __name__ == "__main__":
    main(sys.argv[1])
