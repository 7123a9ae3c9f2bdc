"""The parts of `gpu_evidence.py`: what is run on both sides, and what counts as a difference."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import gpu_evidence_programs
from gpu_evidence_programs import EXAMPLES, ROOT

PROBES: Final = ROOT / "tests" / "simulator" / "probes"

TOLERANCE: Final = 1e-4
"""Relative: of a training on another device, whatever its precision."""
PERTURBED: Final = 5
"""Runs of a loop on the simulator whose results are off by units in the last place."""
MULTIPLE: Final = 3.0
"""How many times as far as the furthest of them a card may be off: a few runs do not show all that
rounding does.
"""


@dataclass(frozen=True)
class Bench:
    """Between what is compared, with what, and until when."""

    device: str
    against: str
    deadline: float
    jobs: int
    scratch: Path
    rewritten: Path | None
    only: frozenset[str]

    def left(self) -> float:
        """Seconds."""
        return self.deadline - time.monotonic()

    def wanted(self, name: str) -> bool:
        """Whether it was asked for: by its name, or because nothing was asked for."""
        return not self.only or name in self.only or Path(name).stem in self.only

    @property
    def sides(self) -> tuple[str, str]:
        """The card first."""
        return self.device, self.against


@dataclass(frozen=True)
class Difference:
    """Something that is not the same on both."""

    what: str
    kind: str
    """``message``, ``placement`` or ``value``."""
    here: str
    """On the card."""
    there: str
    """On the simulator."""


@dataclass
class Part:
    """What one part found."""

    compared: int = 0
    differences: list[Difference] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    """What was not run, and why."""
    rows: list[dict[str, Any]] = field(default_factory=list)
    """Figures."""
    failed: str = ""
    """Why the part as a whole could not be done."""
    notes: list[str] = field(default_factory=list)
    """What else a reader should know."""
    seconds: float = 0.0
    measured: dict[str, Any] = field(default_factory=dict)
    """When, on what, and with which versions."""


# Probes --------------------------------------------------------------------------------------


def probes(bench: Bench) -> Part:
    """Each file of probes on both sides."""
    files = [
        path
        for path in sorted(PROBES.glob("*.py"))
        if path.name not in ("run.py", "expectations.py") and bench.wanted(path.name)
    ]
    part = Part()
    jobs = [(file, side) for file in files for side in bench.sides]
    with ThreadPoolExecutor(bench.jobs) as pool:
        found = dict(zip(jobs, pool.map(lambda job: _probed(*job, bench), jobs), strict=True))
    for file in files:
        here, there = (found[file, side] for side in bench.sides)
        if isinstance(here, str) or isinstance(there, str):
            part.missing.append(f"{file.name}: {here if isinstance(here, str) else there}")
            continue
        _compare_probes(part, file.name, here, there)
    return part


def _probed(file: Path, device: str, bench: Bench) -> dict[str, Any] | str:
    """The outcome of each probe of a file, or why there is none."""
    command = [sys.executable, str(PROBES / "run.py"), "--device", device, file.name, "-j", "1"]
    done = _run(command, _hidden(device), bench)
    if isinstance(done, str):
        return done
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {line["name"]: line for line in lines} or _last(done.stderr)


def _compare_probes(
    part: Part, file: str, here: Mapping[str, Any], there: Mapping[str, Any]
) -> None:
    for name in dict.fromkeys((*here, *there)):
        one, other = (_outcome(side.get(name)) for side in (here, there))
        part.compared += 1
        part.rows.append({"file": file, "name": name, "here": one, "there": other})
        if "skipped" in (one.split(":")[0], other.split(":")[0]):
            continue
        if one != other:
            kind = "placement" if "placed" in one + other else "message"
            part.differences.append(Difference(f"{file} {name}", kind, one, other))


def _outcome(line: Mapping[str, Any] | None) -> str:
    if line is None:
        return "not run"
    if line["skipped"] is not None:
        return f"skipped: {line['skipped']}"
    return "as stated" if line["passed"] else str(line["detail"])


# Loops ---------------------------------------------------------------------------------------


def loops(bench: Bench) -> Part:
    """Seeded training loops: every loss, and what became of every parameter."""
    sides: list[tuple[str, int | None]] = [(side, None) for side in bench.sides]
    sides += [(bench.against, seed) for seed in range(PERTURBED)]
    with ThreadPoolExecutor(bench.jobs) as pool:
        here, there, *others = pool.map(lambda side: _looped(*side, bench), sides)
    part = Part()
    settings = here.pop(SETTINGS, None)
    if settings is not None:
        part.notes.append(f"on the card: {settings['words']}")
    for name in dict.fromkeys((*here, *there)):
        one, other = here.get(name), there.get(name)
        if one is None or other is None:
            part.missing.append(f"{name}: not reached")
            continue
        perturbed = [found[name] for found in others if name in found]
        if len(perturbed) < PERTURBED:
            part.missing.append(f"{name}: only {len(perturbed)} of {PERTURBED} perturbed runs")
        _compare_loops(part, name, one, other, perturbed)
    if not part.compared:
        part.failed = "no loop was run on both sides"
    return part


SETTINGS: Final = "settings"
"""Stands in the place of a loop's name where the settings of torch are told."""


def _looped(device: str, seed: int | None, bench: Bench) -> dict[str, Any]:
    command = [sys.executable, str(ROOT / "scripts" / "gpu_evidence_loops.py")]
    perturb = [] if seed is None else ["--perturb", str(seed)]
    done = _run([*command, *perturb, device, *bench.only], _hidden(device), bench)
    if isinstance(done, str):
        return {}
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {line["name"]: line for line in lines}


def _compare_loops(
    part: Part,
    name: str,
    one: Mapping[str, Any],
    other: Mapping[str, Any],
    perturbed: Sequence[Mapping[str, Any]],
) -> None:
    part.compared += 1
    if one["error"] != other["error"]:
        part.differences.append(
            Difference(f"loop {name}", "message", one["error"] or "runs", other["error"] or "runs")
        )
        return
    deviation = _deviation(one["numbers"], other["numbers"])
    spread = [_deviation(found["numbers"], other["numbers"]) for found in perturbed]
    sensitivity = max(filter(math.isfinite, spread), default=0.0)
    row = {"name": name, "deviation": deviation, "sensitivity": sensitivity}
    part.rows.append({**row, "numbers": len(one["numbers"])})
    if deviation > max(TOLERANCE, MULTIPLE * sensitivity):
        first = next(
            (pair for pair in zip(one["numbers"], other["numbers"], strict=False) if _off(*pair)),
            ("", ""),
        )
        words = f"off by {deviation:.1e}, of which rounding explains {sensitivity:.1e}"
        shown = [f"{value!r} ({words})" for value in first]
        part.differences.append(Difference(f"loop {name}", "value", *shown))


def _deviation(here: Sequence[float], there: Sequence[float]) -> float:
    """The largest relative one; infinite where not even the number of values agrees."""
    if len(here) != len(there):
        return math.inf
    return max((_relative(*pair) for pair in zip(here, there, strict=True)), default=0.0)


def _relative(one: float, other: float) -> float:
    if one == other or (math.isnan(one) and math.isnan(other)):
        return 0.0
    size = max(abs(one), abs(other), 1e-3)
    return abs(one - other) / size if math.isfinite(one) and math.isfinite(other) else math.inf


def _off(one: float, other: float) -> bool:
    return _relative(one, other) > TOLERANCE


# Examples ------------------------------------------------------------------------------------


def examples(bench: Bench) -> Part:
    """Each example before and after the change on both sides: how it ends, prints and computes."""
    after = _rewritten(bench)
    part = Part()
    trees = {"before": EXAMPLES}
    if isinstance(after, Path):
        trees["after"] = after
    else:
        part.missing.append(f"the examples after apply: {after}")
    jobs = [
        (name, state, str(tree), bench.device, bench.against)
        for name in _names(bench)
        for state, tree in trees.items()
        if state == "before" or _is_changed(name, tree)
    ]
    for found in _spread(gpu_evidence_programs.held, jobs, bench, part):
        if found["missing"]:
            part.missing.append(found["missing"])
            continue
        part.compared += found["compared"]
        part.rows.append(found["row"])
        part.differences += (Difference(*difference) for difference in found["differences"])
    return part


def _names(bench: Bench) -> list[str]:
    singles = [path.name for path in sorted(EXAMPLES.glob("*.py"))]
    packages = [f"{path.parent.name}/train.py" for path in sorted(EXAMPLES.glob("*/train.py"))]
    return [name for name in (*singles, *packages) if bench.wanted(name)]


def _is_changed(name: str, after: Path) -> bool:
    package = (EXAMPLES / name).parent
    mine = package.glob("*.py") if package != EXAMPLES else [EXAMPLES / name]
    files = [path.relative_to(EXAMPLES) for path in mine]
    return any((EXAMPLES / file).read_bytes() != (after / file).read_bytes() for file in files)


def _rewritten(bench: Bench) -> Path | str:
    """A copy of the examples after ``devicefix apply``, or why there is none."""
    if bench.rewritten is not None:
        return bench.rewritten
    folder = bench.scratch / "rewritten"
    if folder.exists():
        return folder
    shutil.copytree(EXAMPLES, folder, ignore=shutil.ignore_patterns("__pycache__"))
    state = {"DEVICEFIX_STATE_DIR": str(bench.scratch / "state")}
    command = [sys.executable, "-m", "devicefix", "apply", str(folder)]
    done = _run(command, state, bench, bench.scratch)  # in our folder it would not find its rules
    if isinstance(done, str) or done.returncode != 0:
        shutil.rmtree(folder)
        why = done if isinstance(done, str) else f"status {done.returncode}, {_last(done.stderr)}"
        return f"devicefix apply cannot be run here (see --rewritten): {why}"
    return folder


# Verify --------------------------------------------------------------------------------------


def verify(bench: Bench) -> Part:
    """``devicefix verify`` of the examples that change, on the card: it should say ``pass``."""
    after = _rewritten(bench)
    if not isinstance(after, Path):
        return Part(failed=after)
    part = Part()
    jobs = [(n, str(after), bench.device) for n in _names(bench) if _is_changed(n, after)]
    for row in _spread(gpu_evidence_programs.verified, jobs, bench, part):
        part.compared += row["compared"]
        part.rows.append(row)
        if row["verdict"] != "pass" and not row["excused"]:
            what = f"verify {row['name']}"
            part.differences.append(Difference(what, "value", row["verdict"], row["reason"]))
    return part


# Processes -----------------------------------------------------------------------------------

ALONE: Final = {"OMP_NUM_THREADS": "1"}
"""For the environment of processes of which there are as many as there are cores."""


@contextmanager
def _alone() -> Iterator[None]:
    """What is started meanwhile inherits that."""
    before = dict(os.environ)
    os.environ.update(ALONE)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _spread(
    work: Callable[[Any], dict[str, Any]], jobs: Iterable[Any], bench: Bench, part: Part
) -> Iterator[dict[str, Any]]:
    """``work`` on each job in processes of their own; what fails or comes too late is noted."""
    pool = ProcessPoolExecutor(bench.jobs, get_context("spawn"))
    with _alone():  # a process is started when it is given something to do
        futures = {pool.submit(work, job): job for job in jobs}
    reached = set()
    try:
        for future in as_completed(futures, timeout=max(bench.left(), 0.1)):
            reached.add(future)
            error = future.exception()
            if error is not None:
                part.missing.append(f"{futures[future][0]}: {type(error).__name__}: {error}")
            else:
                yield future.result()
    except TimeoutError:
        part.missing += (f"{job[0]}: not reached" for f, job in futures.items() if f not in reached)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _run(
    command: Sequence[str], changes: Mapping[str, str], bench: Bench, folder: Path | None = None
) -> subprocess.CompletedProcess[str] | str:
    """A command within the budget, or why it did not end."""
    paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", ""))))
    try:
        return subprocess.run(
            command,
            env={**os.environ, **ALONE, "PYTHONPATH": paths, **changes},
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=max(bench.left(), 0.1),
        )
    except subprocess.TimeoutExpired:
        return "not reached: the budget was used up"


def _hidden(device: str) -> dict[str, str]:
    """A simulated card asks that the real ones be out of sight."""
    return {"CUDA_VISIBLE_DEVICES": ""} if device.startswith("sim:") else {}


def _last(text: str) -> str:
    return text.strip().rpartition("\n")[2] or "it said nothing"
