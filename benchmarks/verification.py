"""How much a verification finds, how often it cries wolf, and what watching costs.

The programs are those of ``tests/verification/defects``. What is measured is kept as JSON in
``docs/verification``, and the page there is made of it.

    python benchmarks/verification.py                            # all of it; most of an hour
    python benchmarks/verification.py defects --only gan silent  # two programs; others are kept
    python benchmarks/verification.py false-alarms --repeats 10  # each program ten times
    python benchmarks/verification.py overhead --rounds 9
    python benchmarks/verification.py page                       # the page anew, from the JSON

A defect that the CPU shows is verified on the CPU only; ``--whole`` asks the accelerator, too.
The harmless forms of a program are judged with its defects, on both.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict
from datetime import datetime, timezone
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

import verification_overhead  # noqa: E402
import verification_page  # noqa: E402

from devicefix.verification.errors import LaunchError  # noqa: E402
from tests.verification.defects.catalogue import read_programs, steady_programs  # noqa: E402
from tests.verification.defects.judging import again, outcomes  # noqa: E402

FOLDER: Final = ROOT / "docs" / "verification"
PARTS: Final = ("defects", "false-alarms", "overhead")

Row = dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; 1 where a defect was missed or a harmless program accused."""
    options = _options(arguments)
    FOLDER.mkdir(parents=True, exist_ok=True)
    # One thread: two programs at a time are no slower for it, and the machine is others', too.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    if options.part in ("all", "defects"):
        defects(options.only, options.jobs, options.whole)
    if options.part in ("all", "false-alarms"):
        false_alarms(options.only, options.jobs, options.repeats, options.seconds)
    if options.part in ("all", "overhead"):
        _keep("overhead", verification_overhead.measured(options.rounds), options)
    verification_page.write(FOLDER)
    return 1 if verification_page.is_faulty(FOLDER) else 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", 1)[0])
    parser.add_argument("part", nargs="?", default="all", choices=("all", *PARTS, "page"))
    parser.add_argument("--only", nargs="+", default=[], metavar="PROGRAM")
    parser.add_argument("--jobs", type=int, default=2, help="programs at a time")
    parser.add_argument("--whole", action="store_true", help="every defect on the accelerator")
    parser.add_argument("--repeats", type=int, default=10, help="of each unchanged program")
    parser.add_argument("--seconds", type=float, default=None, help="no new repeat after that")
    parser.add_argument("--rounds", type=int, default=7, help="pairs of runs")
    return parser.parse_args(arguments)


def defects(only: Sequence[str], jobs: int, whole: bool) -> None:
    """Every planted defect, every program as it should be, and every harmless form of it."""
    programs = [p for p in read_programs() if not only or p.name in only]
    programs.sort(key=lambda p: -len(p.defects) - len(p.harmless))
    names = [p.name for p in programs]
    kept = [row for row in _known("defects") if row["program"] not in names]
    for rows in _shared(_defects_of, [(name, whole) for name in names], jobs):
        kept += rows
        _keep("defects", sorted(kept, key=lambda row: row["program"]))
        wrong = [row for row in rows if verification_page.is_wrong(row)]
        print(f"{rows[0]['program']}: {len(rows)} judged, {len(wrong)} not as they should be")
        for row in wrong:
            print(f"    {verification_page.named(row)}: {row['verdict']} {row['place']}")


def _defects_of(job: tuple[str, bool]) -> list[Row]:
    name, whole = job
    program = next(p for p in read_programs() if p.name == name)
    judged = outcomes(program, program.defects, whole, harmless=program.harmless)
    return [asdict(outcome) for outcome in judged]


def false_alarms(only: Sequence[str], jobs: int, repeats: int, seconds: float | None) -> None:
    """Programs that are never the same twice, held against themselves; a baseline each time."""
    names = [p.name for p in steady_programs() if not only or p.name in only]
    until = None if seconds is None else time.monotonic() + seconds
    kept = _known("false-alarms")
    work = [(name, until) for _ in range(repeats) for name in names]
    for row in _shared(_repeated, work, jobs):
        if row is None:
            continue
        kept.append(row)
        _keep("false-alarms", kept)
        if row["verdict"] != "pass":
            print(f"{row['program']}: {row['verdict']}: {row['reason']} {row['what']}")
    print(f"{len(kept)} verifications of unchanged programs")


def _repeated(job: tuple[str, float | None]) -> Row | None:
    name, until = job
    if until is not None and time.monotonic() > until:
        return None
    program = next(p for p in steady_programs() if p.name == name)
    try:
        return asdict(again(program)[0])
    except LaunchError as error:
        return {"program": name, "verdict": "failed", "reason": str(error), "what": ""}


def _shared(work: Any, jobs: Iterable[Any], processes: int) -> Iterator[Any]:
    """``work`` on each of ``jobs`` in processes of their own: a verification needs its signals."""
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        for future in as_completed([pool.submit(work, job) for job in jobs]):
            yield future.result()


def _known(part: str) -> list[Row]:
    file = _file(part)
    return list(json.loads(file.read_text())["rows"]) if file.exists() else []


def _keep(part: str, rows: Sequence[Row], _: object = None) -> None:
    content = {
        "date": datetime.now(timezone.utc).isoformat(timespec="minutes"),
        **verification_page.versions(),
        "rows": list(rows),
    }
    _file(part).write_text(json.dumps(content, indent=1) + "\n")


def _file(part: str) -> Path:
    return FOLDER / f"{part.replace('-', '_')}.json"


if __name__ == "__main__":
    sys.exit(main())
