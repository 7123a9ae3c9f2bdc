"""Generated programs by the thousand, each with a number: the same number, the same program.

::

    python -m tests.properties.campaign --from 0 --count 20000 --journal properties.jsonl

What is through is a line of the journal, together with the revision it was true of; started again,
what it has of the same revision is not done again. Of each failure the number and the smallest text
are shown that fails in the same way. Exit status 1 where there was one.
"""

from __future__ import annotations

import argparse
import gc
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.properties.checking import Violation, violations, violations_of
from tests.properties.choices import Choices
from tests.properties.programs import generate
from tests.properties.running import processor_seconds
from tests.properties.shrinking import shrunk

BATCH: Final = 50
"""Programs that are rewritten in one run of the engine."""
INVALID: Final = "invalid"
"""What was drawn is no program: it fails on the CPU, without a transfer."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A program of which something does not hold."""

    number: int
    violations: tuple[Violation, ...]

    def smallest(self, folder: Path) -> str:
        """The smallest text for which the first of them does not hold either."""
        draws: list[int] = []
        generate(Choices.seeded(self.number).recorded(draws))
        rule = self.violations[0].rule

        def fails(candidate: tuple[int, ...]) -> bool:
            program = generate(Choices.replayed(candidate))
            return any(v.rule == rule for v in violations(program, folder))

        if not fails(tuple(draws)):
            return "(nothing is wrong with it alone: it is the company that does it)"
        return generate(Choices.replayed(shrunk(tuple(draws), fails))).text


@dataclass(frozen=True, slots=True)
class Batch:
    """What came of programs with numbers in a row."""

    numbers: range
    invalid: int
    failures: tuple[Failure, ...]


def batches(numbers: range, folder: Path) -> Iterator[Batch]:
    """What holds of the programs with those numbers, some at a time; works in ``folder``."""
    for start in range(numbers.start, numbers.stop, BATCH):
        some = range(start, min(start + BATCH, numbers.stop))
        found = violations_of([generate(Choices.seeded(n)) for n in some], folder)
        pairs = list(zip(some, found, strict=True))
        invalid = sum(any(v.rule == INVALID for v in bad) for bad in found)
        wrong = [(n, tuple(v for v in bad if v.rule != INVALID)) for n, bad in pairs]
        yield Batch(some, invalid, tuple(Failure(n, bad) for n, bad in wrong if bad))


class Journal:
    """What has been done, one line of JSON for each batch."""

    def __init__(self, path: Path | None, revision: str) -> None:
        self._path = path
        self._revision = revision
        lines = path.read_text().splitlines() if path is not None and path.exists() else []
        self.known = [entry for line in lines if (entry := json.loads(line))["at"] == revision]

    def missing(self, numbers: range) -> Iterator[range]:
        """The runs of numbers that no line is about."""
        done = {n for entry in self.known for n in range(entry["from"], entry["to"])}
        start = None
        for number in [*numbers, numbers.stop]:
            if number in done or number == numbers.stop:
                if start is not None:
                    yield range(start, number)
                start = None
            elif start is None:
                start = number

    def add(self, batch: Batch, shown: Sequence[str]) -> None:
        """Remember a batch, and what was shown of its failures."""
        entry = {
            "at": self._revision,
            "from": batch.numbers.start,
            "to": batch.numbers.stop,
            "invalid": batch.invalid,
            "failures": {str(f.number): [str(v) for v in f.violations] for f in batch.failures},
            "smallest": list(shown),
        }
        self.known.append(entry)
        if self._path is not None:
            with self._path.open("a") as file:
                file.write(json.dumps(entry) + "\n")


def revision() -> str:
    """The commit of the checkout, with a plus where it is not quite that."""
    here = Path(__file__).parent
    git = ["git", "-C", str(here)]
    head = subprocess.run([*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    dirty = subprocess.run([*git, "status", "--porcelain", "-uno"], capture_output=True, text=True)
    return head.stdout.strip() + "+" * bool(dirty.stdout.strip())


def run(numbers: range, journal: Journal, shrink: bool) -> int:
    """Go through ``numbers`` and tell about it; the exit status."""
    started = time.process_time()
    gc.disable()  # most of what it would walk is needed to the end: once for a batch is enough
    with tempfile.TemporaryDirectory() as folder:
        for missing in journal.missing(numbers):
            for batch in batches(missing, Path(folder)):
                shown = [_told(f, Path(folder), shrink) for f in batch.failures]
                journal.add(batch, shown)
                _say(f"{batch.numbers.stop - 1}: {_figures(journal)}", end="\r")
                gc.collect()
    spent = time.process_time() - started + processor_seconds()
    _say(f"\n{_figures(journal)}; {spent:.0f} s of processor time")
    return 1 if any(entry["failures"] for entry in journal.known) else 0


def _told(failure: Failure, folder: Path, shrink: bool) -> str:
    text = failure.smallest(folder) if shrink else generate(Choices.seeded(failure.number)).text
    _say(f"\n--- {failure.number}: " + "; ".join(map(str, failure.violations)))
    _say(text)
    return text


def _figures(journal: Journal) -> str:
    done = sum(entry["to"] - entry["from"] for entry in journal.known)
    invalid = sum(entry["invalid"] for entry in journal.known)
    kinds = Counter(
        wrong.partition(":")[0]
        for entry in journal.known
        for all_of in entry["failures"].values()
        for wrong in all_of[:1]
    )
    failed = sum(kinds.values())
    told = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    return f"{done} programs, {invalid} of them none, {failed} failures" + f" ({told})" * bool(told)


def _say(text: str, end: str = "\n") -> None:
    sys.stdout.write(text + end)
    sys.stdout.flush()


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.properties.campaign")
    parser.add_argument("--from", dest="start", type=int, default=0, help="the first number")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--journal", type=Path, help="where what is done is kept")
    parser.add_argument("--no-shrink", action="store_true", help="show failures as they are")
    given = parser.parse_args(arguments)
    numbers = range(given.start, given.start + given.count)
    return run(numbers, Journal(given.journal, revision()), not given.no_shrink)


if __name__ == "__main__":
    sys.exit(main())
