"""Whether a safe `devicefix apply` breaks a program that ran, or changes what it prints.

    python benchmarks/harm.py [--kinds cases examples written generated] [--generated N] [--jobs N]
        [--programs DIR]... [--scripts MANIFEST --mirrors DIR [--stubs DIR]] [--journal FILE]

Each program is run as it is and after `devicefix apply`, on the CPU and on the simulated
accelerator, with the same random numbers. What ran has to run, and to print the same: to the last
digit on the CPU, but for rounding and the names of devices on the accelerator. What does not is
harmed. A program that did not run and does now is repaired, which is told and proves nothing.

    cases       the programs that the rules are tested with
    examples    the examples of the documentation
    written     programs written for this (benchmarks/programs), each with several options
    generated   those of tests/properties, by number: 0 to N-1 (default 500)
    --programs  any folder of programs (`below` in harm_programs.py says how they are named)
    --scripts   a list of scripts of public repositories, of which there are mirrors

With ``--options`` it is `apply` with these, such as ``--style accelerator``; generated programs
have none. With ``--journal`` a campaign that was stopped goes on, as long as the sources of
devicefix are the same. ``--only TEXT`` takes the programs with that text in their name, and shows
more of each.
Exit status 1 if a program was harmed, or `apply` failed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shlex
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, Final

import harm_generated
import harm_trial
from harm_programs import ROOT, Program, below, cases, examples, scripts, written
from harm_running import OTHERS
from harm_trial import FAILED, HARMED, REPAIRED, WORLDS, Outcome

from devicefix.engine.state import cache_folder

KINDS: Final = ("cases", "examples", "written", "generated")
_OURS: Final = {"cases": cases, "examples": examples, "written": written}
_BATCH: Final = 50
"""Generated programs that are rewritten in one run."""
Found = tuple[list[Outcome], int]
"""Outcomes, and the exit status of `apply`."""


class Journal:
    """What has been done with these sources: one line of JSON for each program or batch."""

    def __init__(self, path: Path | None, revision: str) -> None:
        self._path = path
        self._revision = revision
        lines = path.read_text().splitlines() if path is not None and path.exists() else []
        entries = (json.loads(line) for line in lines)
        self._known = {e["name"]: e for e in entries if e["at"] == revision}

    def known(self, name: str) -> Found | None:
        """What came of a program."""
        entry = self._known.get(name)
        return entry and ([Outcome(**some) for some in entry["outcomes"]], entry["apply"])

    def add(self, name: str, found: Found) -> None:
        """Remember it."""
        if self._path is None:
            return
        outcomes = [outcome.as_json() for outcome in found[0]]
        entry = {"at": self._revision, "name": name, "apply": found[1], "outcomes": outcomes}
        with self._path.open("a") as file:
            file.write(json.dumps(entry) + "\n")


def revision() -> str:
    """A digest of the sources of devicefix."""
    files = chain.from_iterable((ROOT / p).rglob("*.py") for p in ("devicefix", "codemods"))
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _batch(numbers: Sequence[int]) -> Found:
    return harm_generated.tried(numbers), 0


def campaign(
    programs: Iterable[Program],
    numbers: range,
    journal: Journal,
    jobs: int,
    seconds: float,
    worlds: Sequence[str] = WORLDS,
) -> Iterator[Found]:
    """What comes of all programs, as it is known."""
    with ProcessPoolExecutor(jobs) as pool:
        waiting: dict[Future[Found], str] = {}
        for program in programs:
            name = f"{program.kind}: {program.name} {_digest(program)}"
            if (known := journal.known(name)) is not None:
                yield known
            else:
                waiting[pool.submit(harm_trial.tried, program, seconds, worlds)] = name
        for start in range(numbers.start, numbers.stop, _BATCH):
            some = range(start, min(start + _BATCH, numbers.stop))
            if (known := journal.known(f"generated: {some}")) is not None:
                yield known
            else:
                waiting[pool.submit(_batch, some)] = f"generated: {some}"
        for future in as_completed(waiting):
            found = future.result()
            journal.add(waiting[future], found)
            yield found


def _digest(program: Program) -> str:
    parts = [repr((program.runs, program.options)).encode(), *program.files.values()]
    parts += program.beside.values()
    if program.tree is not None:
        parts += [path.read_bytes() for path in sorted(program.tree.rglob("*.py"))]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:12]


def table(outcomes: Sequence[Outcome], failed: Counter[str]) -> str:
    """What came of each kind of program, in Markdown."""
    kinds = sorted({o.kind for o in outcomes}, key=lambda k: (k not in KINDS, k))
    rows = [[kind, *_figures([o for o in outcomes if o.kind == kind])] for kind in kinds]
    if len(rows) > 1:
        rows.append(["all", *_figures(outcomes)])
    head = "| programs | number | changed | runs | ran before | run after | harmed | repaired |"
    lines = [head, "|---|" + "---:|" * 7]
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    lines += [f"apply failed: {kind}: {count}" for kind, count in failed.items()]
    return "\n".join(lines)


def _figures(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Of runs there are several numbers: on the CPU, on the simulated accelerators."""
    yield str(len({(o.kind, o.program) for o in outcomes}))
    yield str(len({(o.kind, o.program) for o in outcomes if o.changed}))
    worlds = [w for w in (*WORLDS, *OTHERS) if any(o.world == w for o in outcomes)]
    by_world = [Counter(o.verdict for o in outcomes if o.world == w) for w in worlds]
    totals = [found.total() for found in by_world]
    before = [found.total() - found[FAILED] - found[REPAIRED] for found in by_world]
    after = [n - found[HARMED] for n, found in zip(before, by_world, strict=True)]
    harmed, repaired = ([found[verdict] for found in by_world] for verdict in (HARMED, REPAIRED))
    for numbers in (totals, before, after, harmed, repaired):
        yield ", ".join(map(str, numbers)) if len(set(numbers)) > 1 else str(numbers[0])


def _shown(outcome: Outcome) -> str:
    head = f"--- {outcome.kind}: {outcome.program} [{outcome.run}] on {outcome.world}: "
    return "\n" + "\n".join(filter(None, (head + outcome.error, outcome.diff, outcome.patch)))


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python benchmarks/harm.py", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--kinds", nargs="*", choices=KINDS, help="which of ours (default: all)")
    parser.add_argument("--generated", type=int, default=500, metavar="N")
    parser.add_argument("--from", dest="start", type=int, default=0, help="the first number")
    parser.add_argument("--programs", type=Path, action="append", default=[], metavar="DIR")
    parser.add_argument("--scripts", type=Path, metavar="MANIFEST")
    parser.add_argument("--mirrors", type=Path, metavar="DIR")
    parser.add_argument("--checkouts", type=Path, default=cache_folder("harm"))
    parser.add_argument("--stubs", type=Path, action="append", default=[], metavar="DIR")
    parser.add_argument("--worlds", nargs="*", choices=(*WORLDS, *OTHERS), default=WORLDS)
    parser.add_argument("--options", default="", help="of apply, such as '--style accelerator'")
    parser.add_argument(
        "--beside",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="put this into the folder of each program, such as a helper for '--style project'",
    )
    parser.add_argument("--only", default="", metavar="TEXT")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=60, help="of one run")
    parser.add_argument("--journal", type=Path, metavar="FILE")
    parser.add_argument("--output", type=Path, metavar="FILE", help="all outcomes, as JSON")
    given = parser.parse_args(arguments)
    if given.scripts is not None and given.mirrors is None:
        parser.error("--scripts needs --mirrors")
    return given


def chosen(given: argparse.Namespace) -> Iterator[Program]:
    """The programs that were asked for, but for those with a number."""
    kinds = KINDS if given.kinds is None else given.kinds
    sources = [_OURS[kind]() for kind in kinds if kind in _OURS]
    sources += [below(folder.resolve(), folder.resolve().name) for folder in given.programs]
    if given.scripts is not None:
        stubs = tuple(str(folder.resolve()) for folder in given.stubs)
        sources.append(scripts(given.scripts, given.mirrors, given.checkouts, stubs))
    options = tuple(shlex.split(given.options))
    found = (p for p in chain.from_iterable(sources) if given.only in f"{p.kind}: {p.name}")
    beside = {path.name: path.read_bytes() for path in given.beside}
    return (replace(program, options=options, beside=beside) for program in found)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    given = _arguments(arguments)
    kinds = KINDS if given.kinds is None else given.kinds
    count = given.generated if "generated" in kinds and not given.only else 0
    numbers = range(given.start, given.start + count)
    started = time.monotonic()
    outcomes: list[Outcome] = []
    failed: Counter[str] = Counter()
    journal = Journal(given.journal, revision())
    work = chosen(given), numbers, journal, given.jobs, given.seconds, given.worlds
    for found, status in campaign(*work):
        outcomes += found
        if status:
            failed[f"{found[0].kind}: {found[0].program}"] = status
        for outcome in found:
            if outcome.verdict == HARMED or (given.only and outcome.error):
                print(_shown(outcome), file=sys.stderr)
        print(
            f"\r{len(outcomes)} runs, {time.monotonic() - started:.0f} s ", end="", file=sys.stderr
        )
    print(file=sys.stderr)
    print(table(outcomes, failed))
    if given.output is not None:
        given.output.write_text(json.dumps(_json(outcomes, failed), indent=1) + "\n")
    return 1 if failed or any(o.verdict == HARMED for o in outcomes) else 0


def _json(outcomes: Sequence[Outcome], failed: Counter[str]) -> dict[str, Any]:
    return {"outcomes": [o.as_json() for o in outcomes], "apply_failed": dict(failed)}


if __name__ == "__main__":
    sys.exit(main())
