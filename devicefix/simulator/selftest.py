"""Does the simulated accelerator work with this interpreter's torch? Found out by trying.

The simulator writes into torch's own memory; where it does not fit, processes crash. So the trial
runs in a process of its own. A verdict that it holds is kept for that build of torch, that Python
and this source of the simulator; one that it does not is not kept, for the next trial may find
another machine.

Standard library only: the process that asks may have no torch.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import signal
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from devicefix.simulator.devices import parse
from devicefix.simulator.protocol import FAILED, HOLDS, REFUSED, STEP, heard

_STATE: Final = "DEVICEFIX_STATE_DIR"
_SECONDS: Final = 180
"""A trial takes about four; on a busy machine with a cold disk it has taken forty."""
_PACKAGE: Final = Path(__file__).resolve().parent.parent
_OURS: Final = ("DEVICEFIX_SIMULATE", "DEVICEFIX_OBSERVE", "DEVICEFIX_MAIN")
"""Variables that would make the trial a simulated or observed program itself."""

_ENTER: Final = """
import gc, importlib.util, sys
gc.disable()
folder = sys.argv.pop(1)
spec = importlib.util.spec_from_file_location(
    "devicefix", folder + "/__init__.py", submodule_search_locations=[folder])
sys.modules["devicefix"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules["devicefix"])
from devicefix.simulator.trial import main
main()
"""
"""The interpreter need not have devicefix; if it has, it may be another one."""

_BUILD: Final = """
import importlib.util, json, sys
spec = importlib.util.find_spec("torch")
print(json.dumps({"python": sys.version, "torch": spec and spec.origin}))
"""


Waiting = Callable[[], AbstractContextManager[object]]


@dataclass(frozen=True)
class Verdict:
    """Whether an accelerator can be simulated."""

    holds: bool
    reason: str
    """One sentence for people, what to do included; empty if it holds."""
    torch: str
    """The version of that torch; empty if there is none."""


def verdict(python: str, device: str, trying: Waiting = nullcontext) -> Verdict:
    """Can ``device`` (``sim:cuda:2``) be simulated in the interpreter ``python``?

    The first time it takes some seconds, spent inside ``trying()``; later about 0.1. Raises
    `ValueError` for a device that is none; everything else is a verdict.
    """
    device = str(parse(device))
    try:
        build = _build(python)
    except (OSError, ValueError, subprocess.SubprocessError):
        return Verdict(False, f"{python} does not start, or is not Python", "")
    if build is None:
        return Verdict(False, f"{python} has no torch: install torch, or name another Python", "")
    record = _record({**build, "device": device})
    if _is_kept(record):
        return Verdict(True, "", build["version"])
    with trying():
        found = _try(python, device, build["version"])
    if found.holds:
        _keep(record)
    return found


def _build(python: str) -> dict[str, Any] | None:
    """What tells this build of torch from others; None without a torch. torch is not imported."""
    output = _run([python, "-c", _BUILD], seconds=60).stdout
    found = json.loads(output.splitlines()[-1] if output else "")
    if found["torch"] is None:
        return None
    folder = Path(found["torch"]).parent
    library = folder / "lib" / "libtorch_cpu.so"
    facts = library.stat() if library.exists() else None
    release = _assigned(folder / "version.py")
    return {
        "python": found["python"],
        "platform": platform.platform(),
        "version": release.get("__version__", "of unknown version"),
        "git": release.get("git_version", ""),
        "folder": str(folder),
        "library": [facts.st_size, facts.st_mtime_ns] if facts else None,
        "simulator": _source(),
    }


def _assigned(path: Path) -> dict[str, str]:
    """The strings that a module assigns to names; torch/version.py is nothing else."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    pairs = (line.partition("=")[::2] for line in lines)
    return {name.partition(":")[0].strip(): value.strip().strip("'\"") for name, value in pairs}


def _source() -> str:
    """A hash of the simulator itself."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _try(python: str, device: str, version: str) -> Verdict:
    try:
        ended = _run([python, "-c", _ENTER, str(_PACKAGE), device], seconds=_SECONDS)
    except subprocess.TimeoutExpired:
        return _against(version, f"its self-test did not finish within {_SECONDS} seconds")
    said = list(heard(ended.stdout))
    last = [text for kind, text in said if kind == STEP]
    outcome = dict(said)
    if REFUSED in outcome:
        return Verdict(False, outcome[REFUSED], version)
    if not last:
        return Verdict(
            False,
            f"torch {version} of {python} does not start: {_complaint(ended.stderr)}",
            version,
        )
    if FAILED in outcome:
        return _against(version, f"its self-test of {_words(last[-1])} failed: {outcome[FAILED]}")
    if ended.returncode:
        where = (
            "when the process ended"
            if HOLDS in outcome
            else f"in its self-test of {_words(last[-1])}"
        )
        return _against(version, f"it crashed {where} ({_death(ended.returncode)})")
    return Verdict(True, "", version)


def _run(command: list[str], seconds: float) -> subprocess.CompletedProcess[str]:
    """Run in a folder without modules: ``-c`` puts the working directory on the path."""
    environment = {name: value for name, value in os.environ.items() if name not in _OURS}
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run(
            command, env=environment, cwd=folder, timeout=seconds, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, errors="replace", check=False,
        )  # fmt: skip


def _against(version: str, what: str) -> Verdict:
    reason = (
        f"the simulated accelerator does not work with torch {version} here: {what}; "
        "torch 2.4.1 to 2.15.0 from PyPI are known to work"
    )
    return Verdict(False, reason, version)


def _words(step: str) -> str:
    return step.replace("_", " ")


def _complaint(stderr: str) -> str:
    lines = stderr.strip().splitlines()
    return lines[-1] if lines else "no output"


def _death(status: int) -> str:
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"exit status {status}"


def _folder() -> Path:
    if state := os.environ.get(_STATE):
        return Path(state) / "selftest"
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "devicefix" / "selftest"


def _record(facts: Mapping[str, Any]) -> Path | None:
    """Where the verdict on this build is kept; None if this user has no place."""
    text = json.dumps(facts, sort_keys=True)
    try:
        return _folder() / f"{hashlib.sha256(text.encode()).hexdigest()}.json"
    except RuntimeError:  # no home
        return None


def _is_kept(record: Path | None) -> bool:
    """A damaged record is none."""
    try:
        return record is not None and json.loads(record.read_bytes()) == {"holds": True}
    except (OSError, ValueError):
        return False


def _keep(record: Path | None) -> None:
    """Whole or not at all; a place that cannot be written costs a trial each time, no more."""
    if record is None:
        return
    with contextlib.suppress(OSError):
        record.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=record.parent)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump({"holds": True}, file)
        Path(name).replace(record)
