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
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
EXAMPLES: Final = ROOT / "examples"
PROBES: Final = ROOT / "tests" / "simulator" / "probes"

TOLERANCE: Final = 1e-4
"""Relative: of a training in float32 on another device."""
NARROW: Final = 5e-2
"""Of one in half precision."""
SHARE: Final = 0.02
"""By how much the share of the arithmetic on the device may differ between card and simulator."""


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
    seconds: float = 0.0


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
    sides = []
    with ThreadPoolExecutor(2) as pool:
        sides = list(pool.map(lambda side: _looped(side, bench), bench.sides))
    here, there = sides
    part = Part()
    for name in dict.fromkeys((*here, *there)):
        one, other = here.get(name), there.get(name)
        if one is None or other is None:
            part.missing.append(f"{name}: not reached")
            continue
        _compare_loops(part, name, one, other)
    if not part.compared:
        part.failed = "no loop was run on both sides"
    return part


def _looped(device: str, bench: Bench) -> dict[str, Any]:
    command = [sys.executable, "-W", "ignore", str(ROOT / "scripts" / "gpu_evidence_loops.py")]
    done = _run([*command, device, *bench.only], _hidden(device), bench)
    if isinstance(done, str):
        return {}
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {line["name"]: line for line in lines}


def _compare_loops(part: Part, name: str, one: Mapping[str, Any], other: Mapping[str, Any]) -> None:
    part.compared += 1
    if one["error"] != other["error"]:
        part.differences.append(
            Difference(f"loop {name}", "message", one["error"] or "runs", other["error"] or "runs")
        )
        return
    deviation = _deviation(one["numbers"], other["numbers"])
    narrow = name in ("mixed_precision", "loss_scaling")
    part.rows.append({"name": name, "deviation": deviation, "numbers": len(one["numbers"])})
    if deviation > (NARROW if narrow else TOLERANCE):
        first = next(
            (pair for pair in zip(one["numbers"], other["numbers"], strict=False) if _off(*pair)),
            ("", ""),
        )
        shown = [f"{value!r} (largest deviation {deviation:.1e})" for value in first]
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
    jobs = [
        (name, state, str(tree), bench.device, bench.against)
        for name in _names(bench)
        for state, tree in (("before", EXAMPLES), ("after", after))
        if tree is not None and (state == "before" or _is_changed(name, tree))
    ]
    if after is None:
        part.missing.append("the examples after apply: it cannot be run here (see --rewritten)")
    for found in _spread(_held, jobs, bench, part):
        part.compared += found["compared"]
        part.rows.append(found["row"])
        part.differences += (Difference(*difference) for difference in found["differences"])
    return part


def _held(job: tuple[str, str, str, str, str]) -> dict[str, Any]:
    """One program on both sides, in a process of its own: a run needs its signals."""
    from devicefix.records import placement_of
    from devicefix.verification.baseline import baseline_of
    from devicefix.verification.comparing import compare
    from devicefix.verification.devices import is_real
    from devicefix.verification.equality import Standard
    from devicefix.verification.execution import Order, execute
    from devicefix.verification.request import Request
    from devicefix.verification.result import Role
    from devicefix.verification.scratch import Scratch
    from devicefix.verification.supervision import Bounds
    from devicefix.verification.tolerance import tolerances
    from devicefix.verification.trees import Tree

    name, state, folder, device, against = job
    tree = Tree(Path(folder).resolve())
    request = Request(name, (), sys.executable, bounds=Bounds(120))
    with Scratch(tree) as scratch:
        runs = []
        for side in (device, against):
            scratch.restore(tree)
            runs.append(execute(request, scratch, tree.root, Order(Role.BEFORE, side)))
    here, there = runs
    what = f"{name} {state} apply"
    found: list[tuple[str, str, str, str]] = []
    messages = [run.failure.message if run.failure is not None else "" for run in runs]
    if messages[0] != messages[1]:
        found.append((what, "message", *(message or "no error" for message in messages)))
    shares = [placement_of(run.records).share for run in runs]
    if abs((shares[0] or 0.0) - (shares[1] or 0.0)) > SHARE:
        found.append((what, "placement", *(f"{share:.1%} there" for share in map(_or0, shares))))
    tolerance = tolerances(None, is_real(device), frozenset({"float32"}))[0]
    compared = compare(baseline_of(there), here, Standard(tolerance, across=True))
    for _, difference in compared.differences:
        if difference.kind is not None:
            place = difference.at_before or difference.at_after
            where = f"{what}, {difference.what}" + (f", line {place.line}" if place else "")
            found.append((where, "value", difference.after, difference.before))
    row = {
        "name": name,
        "state": state,
        "status": [run.ending.status for run in runs],
        "share": shares,
        "deviation": _off_by(compared.furthest),
        "seconds": [round(run.ending.seconds, 2) for run in runs],
    }
    return {"compared": compared.compared + 2, "row": row, "differences": found}


def _off_by(furthest: Any) -> float | None:
    """How far a value is off, relative to its size; None where all bits are equal."""
    return furthest.relative if furthest is not None else None


def _or0(share: float | None) -> float:
    return share or 0.0


def _names(bench: Bench) -> list[str]:
    singles = [path.name for path in sorted(EXAMPLES.glob("*.py"))]
    packages = [f"{path.parent.name}/train.py" for path in sorted(EXAMPLES.glob("*/train.py"))]
    return [name for name in (*singles, *packages) if bench.wanted(name)]


def _is_changed(name: str, after: Path) -> bool:
    package = (EXAMPLES / name).parent
    mine = package.glob("*.py") if package != EXAMPLES else [EXAMPLES / name]
    files = [path.relative_to(EXAMPLES) for path in mine]
    return any((EXAMPLES / file).read_bytes() != (after / file).read_bytes() for file in files)


def _rewritten(bench: Bench) -> Path | None:
    """A copy of the examples after ``devicefix apply``; None where it cannot be run."""
    if bench.rewritten is not None:
        return bench.rewritten
    folder = bench.scratch / "rewritten"
    if folder.exists():
        return folder
    shutil.copytree(EXAMPLES, folder, ignore=shutil.ignore_patterns("__pycache__"))
    state = {"DEVICEFIX_STATE_DIR": str(bench.scratch / "state")}
    done = _run([sys.executable, "-m", "devicefix", "apply", str(folder)], state, bench)
    if isinstance(done, str) or done.returncode != 0:
        shutil.rmtree(folder)
        return None
    return folder


# Verify --------------------------------------------------------------------------------------


def verify(bench: Bench) -> Part:
    """``devicefix verify`` of the examples that change, on the card: it should say ``pass``."""
    after = _rewritten(bench)
    if after is None:
        return Part(failed="devicefix apply cannot be run here (see --rewritten)")
    part = Part()
    jobs = [(n, str(after), bench.device) for n in _names(bench) if _is_changed(n, after)]
    for row in _spread(_verified, jobs, bench, part):
        part.compared += row["compared"]
        part.rows.append(row)
        if row["verdict"] != "pass" and not row["excused"]:
            what = f"verify {row['name']}"
            part.differences.append(Difference(what, "value", row["verdict"], row["reason"]))
    return part


def _verified(job: tuple[str, str, str]) -> dict[str, Any]:
    from devicefix.verification.request import Candidate, Request
    from devicefix.verification.result import Role
    from devicefix.verification.supervision import Bounds
    from devicefix.verification.trees import Tree
    from devicefix.verification.verifying import verify as verified

    name, after, device = job
    request = Request(name, (), sys.executable, devices=(device,), bounds=Bounds(120))
    found = verified(request, Tree(EXAMPLES), Candidate(Tree(Path(after).resolve())))
    run = found.run(Role.AFTER, device)
    placement = run.placement if run is not None else None
    deviations = [_off_by(c.furthest) for c in found.comparisons]
    return {
        "name": name,
        "verdict": found.verdict.value,
        "reason": found.reason,
        "excused": found.baseline is None,
        "compared": sum(c.compared for c in found.comparisons),
        "coverage": placement.share if placement is not None else None,
        "deviation": max((d for d in deviations if d is not None), default=None),
        "seconds": round(found.seconds, 1),
    }


# Processes -----------------------------------------------------------------------------------


def _spread(
    work: Callable[[Any], dict[str, Any]], jobs: Iterable[Any], bench: Bench, part: Part
) -> Iterator[dict[str, Any]]:
    """``work`` on each job in processes of their own; what fails or comes too late is noted."""
    pool = ProcessPoolExecutor(bench.jobs, mp_context=get_context("spawn"))
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
    command: Sequence[str], changes: Mapping[str, str], bench: Bench
) -> subprocess.CompletedProcess[str] | str:
    """A command within the budget, or why it did not end."""
    paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", ""))))
    try:
        return subprocess.run(
            command,
            env={**os.environ, "PYTHONPATH": paths, **changes},
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
