"""Hold the findings of this checkout against those that were recorded before.

    python scripts/same_findings.py record BASELINE TREE... [--apply] [--jobs N]
    python scripts/same_findings.py compare BASELINE [TREE...] [--jobs N]

What makes the analysis faster must not change what it says. `record` keeps the JSON report of
``devicefix check`` on each TREE, and with ``--apply`` that of ``apply --dry-run`` too (its edits
are those of all rounds), in the folder BASELINE; nothing in a TREE is changed. `compare` makes
them again and compares all but the seconds: each that differs is shown with its first lines. The
trees are those recorded, or those of them that end in one of the names given.

``--python`` is the interpreter of the devicefix that is asked; this one's unless given. The
processor seconds of both are printed, with those of child processes: a ratio to go by, no more.

Exit status: 0 the same, 1 something differs, 2 it could not be found out.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import itertools
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_SHOWN: Final = 30
"""Lines of a difference."""
_COMMANDS: Final = {"check": ("check",), "apply": ("apply", "--dry-run")}


@dataclass(frozen=True, slots=True)
class Case:
    """A command on a tree, and the file with what it said before."""

    tree: Path
    command: str
    record: Path


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command said, and what it cost."""

    status: int
    report: dict[str, Any]
    seconds: float
    """Of processors, child processes included."""
    complaint: str = ""
    """What was said instead of a report."""


class ImpossibleError(Exception):
    """Nothing can be said; the message is for the user."""


def ask(case: Case, python: str) -> Answer:
    """Run the command of ``case``. It is started elsewhere, so that the tree is only read."""
    options = ("-j", "1", "--output-format", "json", str(case.tree))
    command = (python, "-m", "devicefix", *_COMMANDS[case.command], *options)
    with tempfile.TemporaryDirectory() as cache:  # whoever has found it before is not asked
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=case.record.parent,
            env={**os.environ, "DEVICEFIX_CACHE_DIR": cache},
        )
        return _answered(process)


def _answered(process: subprocess.Popen[bytes]) -> Answer:
    out, err = process.stdout, process.stderr
    assert out is not None
    assert err is not None
    with ThreadPoolExecutor(1) as reader:
        said = reader.submit(err.read)
        report = out.read()
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = usage.ru_utime + usage.ru_stime
    try:
        content = json.loads(report)
    except ValueError:
        return Answer(process.returncode, {}, seconds, said.result().decode("utf-8", "replace"))
    content["summary"].pop("seconds")
    return Answer(process.returncode, content, seconds)


def cases(trees: Sequence[Path], baseline: Path, commands: Sequence[str]) -> list[Case]:
    """Each command on each tree."""
    found = []
    for tree, command in itertools.product(trees, commands):
        real = tree.resolve()
        if not real.exists():
            raise ImpossibleError(f"{tree}: no such file or folder")
        key = hashlib.sha256(str(real).encode()).hexdigest()[:8]
        name = f"{real.name}-{key}.{command}.json"
        found.append(Case(real, command, baseline.resolve() / name))
    return found


def recorded(baseline: Path, names: Sequence[str]) -> list[Case]:
    """What is in ``baseline``, as far as it is asked for."""
    found = []
    for record in sorted(baseline.resolve().glob("*.json")):
        content = json.loads(record.read_text("utf-8"))
        if not names or content["tree"].endswith(tuple(names)):
            found.append(Case(Path(content["tree"]), content["command"], record))
    if not found:
        raise ImpossibleError(f"{baseline}: nothing of that was recorded")
    return found


def record(case: Case, python: str) -> str:
    """Keep what is said now; gives a line about it."""
    answer = ask(case, python)
    if answer.complaint:
        raise ImpossibleError(f"{case.tree}: {answer.complaint}")
    content = {
        "tree": str(case.tree),
        "command": case.command,
        "status": answer.status,
        "seconds": round(answer.seconds, 2),
        "report": answer.report,
    }
    case.record.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    count = len(answer.report["findings"])
    return f"{case.command} {case.tree}: {count} findings in {answer.seconds:.1f} s"


def compare(case: Case, python: str) -> tuple[bool, str]:
    """Whether the same is said now, and a line about it, or several."""
    before = json.loads(case.record.read_text("utf-8"))
    now = ask(case, python)
    same = (now.status, now.report) == (before["status"], before["report"])
    word = "the same" if same else "DIFFERENT"
    seconds = f"{now.seconds:.1f} s, before {before['seconds']:.1f} s"
    lines = [f"{word}: {case.command} {case.tree} ({seconds})"]
    if not same:
        lines += [f"  status {before['status']}, now {now.status}", *now.complaint.splitlines()]
        lines += differences(before["report"], now.report)
    return same, "\n".join(lines)


def differences(before: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    """The first lines that are not the same."""
    texts = [json.dumps(report, indent=1).splitlines() for report in (before, now)]
    diff = difflib.unified_diff(*texts, "before", "now", n=12, lineterm="")
    yield from itertools.islice(diff, _SHOWN)


def main() -> int:
    """Record or compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("action", choices=("record", "compare"))
    parser.add_argument("baseline", type=Path)
    parser.add_argument("trees", nargs="*")
    parser.add_argument("--apply", action="store_true", help="record `apply --dry-run`, too")
    parser.add_argument("--jobs", type=int, default=1, help="trees at the same time")
    parser.add_argument("--python", default=sys.executable, help="whose devicefix is asked")
    given = parser.parse_intermixed_args()
    try:
        return _record(given) if given.action == "record" else _compare(given)
    except (ImpossibleError, OSError) as error:
        print(error, file=sys.stderr)
        return 2


def _record(given: argparse.Namespace) -> int:
    commands = ("check", "apply") if given.apply else ("check",)
    given.baseline.mkdir(parents=True, exist_ok=True)
    found = cases([Path(tree) for tree in given.trees], given.baseline, commands)
    with ThreadPoolExecutor(given.jobs) as pool:
        for line in pool.map(lambda case: record(case, given.python), found):
            print(line, flush=True)
    return 0


def _compare(given: argparse.Namespace) -> int:
    found = recorded(given.baseline, given.trees)
    worst = 0
    with ThreadPoolExecutor(given.jobs) as pool:
        for same, line in pool.map(lambda case: compare(case, given.python), found):
            print(line, flush=True)
            worst = worst if same else 1
    return worst


if __name__ == "__main__":
    sys.exit(main())
