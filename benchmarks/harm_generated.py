"""The generated programs of `tests/properties`, before and after `devicefix apply`, by number."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from harm_judging import difference, same_numbers, same_text
from harm_programs import ROOT
from harm_running import CPU, WORLDS
from harm_trial import FAILED, HARMED, REPAIRED, SAME, Outcome

sys.path.insert(0, str(ROOT))

from tests.properties.checking import rewrite_all
from tests.properties.choices import Choices
from tests.properties.programs import generate
from tests.properties.running import Ran, on_cpu, simulated


def tried(numbers: Sequence[int]) -> list[Outcome]:
    """What came of the programs with those numbers, which are rewritten in one run."""
    programs = [generate(Choices.seeded(number)) for number in numbers]
    with tempfile.TemporaryDirectory(prefix="harm-") as folder:
        found = rewrite_all([{"__main__": program.text} for program in programs], Path(folder))
    triples = zip(numbers, programs, found, strict=True)
    return [o for n, program, new in triples for o in _outcomes(n, program.text, new.text)]


def _outcomes(number: int, before: str, after: str) -> Iterator[Outcome]:
    for world in WORLDS:
        run = on_cpu if world == CPU else simulated
        one, two = run(before), run(after) if before != after else None
        verdict, error, diff = _judged(world, one, two)
        yield Outcome("generated", str(number), "", world, verdict, two is not None, error, diff)


def _judged(world: str, before: Ran, after: Ran | None) -> tuple[str, str, str]:
    if before.error:
        return (FAILED if after is None or after.error else REPAIRED), before.error, ""
    if after is None:
        return SAME, "", ""
    if after.error:
        return HARMED, after.error, ""
    same = same_text if world == CPU else same_numbers
    if same(before.printed, after.printed):
        return SAME, "", ""
    return HARMED, "prints something else", difference(before.printed, after.printed)
