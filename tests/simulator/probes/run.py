"""Run the probes; one line of JSON for each.

    python tests/simulator/probes/run.py --device sim:cuda:2             # every file of probes
    python tests/simulator/probes/run.py --device cuda pointwise.py     # on a real GPU

Each file runs in a process of its own, unless ``--here`` is given. A line holds ``file``,
``name``, ``passed`` (true, false, or null where the probe was skipped), ``detail`` (what went
wrong), ``skipped`` (why) and ``seconds``. The exit status is 1 if a probe failed. torch and the
standard library suffice.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import json
import os
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).resolve().parent
REPOSITORY: Final = HERE.parent.parent.parent
NO_PROBES: Final = ("run.py", "expectations.py")
SECONDS: Final = 300
"""A file that takes longer is stopped."""


def files() -> list[Path]:
    """The files of probes."""
    return sorted(path for path in HERE.glob("*.py") if path.name not in NO_PROBES)


def probes_of(path: Path) -> list[ast.FunctionDef]:
    """The probes of a file: its functions that have no leading underscore."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    return [function for function in functions if not function.name.startswith("_")]


def outcomes(path: Path, device: Any) -> Iterator[dict[str, Any]]:
    """Run the probes of ``path`` in this process on ``device``, a `torch.device`."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # What a program pickles has to be found by its name.
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    for node in probes_of(path):
        began = time.perf_counter()
        outcome = _outcome(getattr(module, node.name), device)
        seconds = round(time.perf_counter() - began, 3)
        yield {"file": path.name, "name": node.name, **outcome, "seconds": seconds}


def _outcome(probe: Callable[[Any], None], device: Any) -> dict[str, Any]:
    from expectations import Skipped

    try:
        probe(device)
    except Skipped as reason:
        return {"passed": None, "detail": "", "skipped": str(reason)}
    except Exception as error:
        return {"passed": False, "detail": _described(error, probe), "skipped": None}
    return {"passed": True, "detail": "", "skipped": None}


def _described(error: Exception, probe: Callable[[Any], None]) -> str:
    file = probe.__code__.co_filename
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == file
    ]
    place = f"line {lines[-1]}: " if lines else ""
    return f"{place}{type(error).__name__}: {error}"


def device_named(name: str) -> Any:
    """The `torch.device` of the command line, with the simulator under it where it says so.

    Raises `SystemExit` where there is none.
    """
    import torch

    if name.startswith("sim:"):
        sys.path.insert(0, str(REPOSITORY))
        from devicefix.simulator import install

        install(name)
        return torch.device(name.split(":")[1], 0)
    device = torch.device(name)
    if device.type != "cuda" or not torch.cuda.is_available():
        raise SystemExit(f"There is no {name} on this machine.")
    return torch.device(device.type, device.index or 0)


def run_here(paths: Sequence[Path], name: str) -> None:
    """Run files in this process, a line for each probe as soon as it is done."""
    results = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # What a probe prints must not come between the lines.
    os.dup2(2, 1)
    device = device_named(name)
    for path in paths:
        for outcome in outcomes(path, device):
            results.write(json.dumps(outcome) + "\n")
            results.flush()


Started = Callable[[list[str]], "subprocess.CompletedProcess[str]"]


def started(command: list[str]) -> subprocess.CompletedProcess[str]:
    """What a command gave that was started in a process of its own."""
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)


def run_child(path: Path, name: str, start: Started = started) -> list[dict[str, Any]]:
    """Run one file in a child process; a probe that it did not get to has failed."""
    return run_together([path], name, start)


def run_together(
    paths: Sequence[Path], name: str, start: Started = started
) -> list[dict[str, Any]]:
    """Run files in one child process; all that it did not get to has failed."""
    names = [path.name for path in paths]
    command = [sys.executable, str(HERE / "run.py"), "--device", name, "--here", *names]
    try:
        child = start(command)
        last = child.stderr.strip().rpartition("\n")[2]
        output, reason = child.stdout, f"ended with {child.returncode}: {last}"
    except subprocess.TimeoutExpired as late:
        printed = late.stdout or b""
        output = printed if isinstance(printed, str) else printed.decode()
        reason = f"ran for more than {SECONDS} seconds"
    known = {line["name"]: line for line in map(json.loads, output.splitlines())}
    return [line for path in paths for line in _completed(path, known, reason)]


def _completed(
    path: Path, known: Mapping[str, dict[str, Any]], reason: str
) -> Iterator[dict[str, Any]]:
    for node in probes_of(path):
        missing = {"file": path.name, "name": node.name, "passed": False, "skipped": None}
        detail = f"the process {reason}"
        yield known.get(node.name, {**missing, "detail": detail, "seconds": 0.0})


def run_all(paths: Iterable[Path], name: str, processes: int) -> bool:
    """Run files in child processes; whether no probe failed."""
    fine = True
    with ThreadPoolExecutor(processes) as pool:
        for lines in pool.map(lambda path: run_child(path, name), paths):
            for line in lines:
                fine = fine and line["passed"] is not False
                sys.stdout.write(json.dumps(line) + "\n")
                sys.stdout.flush()
    return fine


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", 1)[0])
    parser.add_argument("files", nargs="*", help="files of probes; all without any")
    parser.add_argument("--device", default="sim:cuda:2", help="cuda, or sim:cuda:2 for two")
    parser.add_argument("--here", action="store_true", help="all in this process")
    parser.add_argument("-j", "--processes", type=int, default=2)
    options = parser.parse_args(arguments)
    paths = [HERE / Path(name).name for name in options.files] or files()
    if options.here:
        run_here(paths, options.device)
        return 0
    return 0 if run_all(paths, options.device, options.processes) else 1


if __name__ == "__main__":
    sys.exit(main())
