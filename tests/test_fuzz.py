"""The seeds of all fuzzing targets, replayed as far as it is cheap; no fuzzer is needed.

All of them, some minutes: ``DEVICEFIX_FUZZ_SEEDS=all pytest tests/test_fuzz.py``.
"""

from __future__ import annotations

import ast
import os
import random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from devicefix.findings import Edit
from devicefix.source import Source
from fuzz import targets
from fuzz.budget import TooSlow, limited
from fuzz.findings import Findings, Signature
from fuzz.fuzzing import Figures, read
from fuzz.splicing import splicer
from fuzz.target import ViolationError, require

ALL: Final = os.environ.get("DEVICEFIX_FUZZ_SEEDS") == "all"
MOST: Final = 20
"""Seeds of a target that belong to the suite: a third of a second of the slowest ones."""


@pytest.mark.parametrize("name", targets.names())
def test_what_has_to_hold_holds_for_the_seeds(name: str) -> None:
    target = targets.load(name)
    seeds = list(target.seeds())
    assert seeds, "nothing to begin with"
    step = 1 if ALL else len(seeds) // MOST + 1
    for seed in seeds[::step]:
        target.check(seed)


@pytest.mark.parametrize("name", ["python2", "readers"])
def test_inputs_that_are_made_of_seeds_are_the_same_for_the_same_number(name: str) -> None:
    target = targets.load(name)
    seed = next(iter(target.seeds()))
    assert target.mutate is not None
    made = [target.mutate(seed, random.Random(number)) for number in range(20)]
    assert made == [target.mutate(seed, random.Random(number)) for number in range(20)]
    assert len(set(made)) > 10


def test_most_programs_that_are_made_of_seeds_parse() -> None:
    seeds = list(targets.load("pipeline").seeds())[::60]
    mutate = splicer(lambda: seeds)
    made = [mutate(seed, random.Random(n)) for n, seed in enumerate(seeds)]
    assert made == [mutate(seed, random.Random(n)) for n, seed in enumerate(seeds)]
    assert sum(map(_parses, made)) > 0.7 * len(seeds)
    assert sum(new != old for new, old in zip(made, seeds, strict=True)) > 0.7 * len(seeds)


def test_what_does_not_hold_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    apply = Source.apply

    def backwards(self: Source, edits: Iterable[Edit]) -> str:
        return apply(self, [replace(edit, rank=-edit.rank) for edit in edits])

    target = targets.load("edits")
    seeds = list(target.seeds())
    monkeypatch.setattr(Source, "apply", backwards)
    with pytest.raises(ViolationError, match="another text comes out"):
        list(map(target.check, seeds))


@pytest.mark.parametrize(
    "program",
    [
        'import cPickle\ncPickle.load(open("é"))\n',
        "x = 1\ny = 2\nz = 3\r\r\r# devicefix: ignore[DFX202]\r",
    ],
    ids=["`encoding=` declares no encoding", "the rarer line end becomes the commoner one"],
)
def test_what_holds_is_no_finding(program: str) -> None:
    targets.load("pipeline").check(f"import torch\n{program}".encode())


def _parses(data: bytes) -> bool:
    try:
        ast.parse(data)
    except (SyntaxError, ValueError):
        return False
    return True


def _spin() -> None:
    while True:
        pass


def _fail() -> None:
    require(False, "1 is not 2")


@pytest.mark.parametrize(("fault", "error"), [(_spin, TooSlow), (_fail, ViolationError)])
def test_a_finding_is_kept_once_with_its_smallest_input(
    fault: Callable[[], None], error: type[BaseException], tmp_path: Path
) -> None:
    findings = Findings(tmp_path)
    for data, is_new in ((b"large", True), (b"larger", False), (b"tiny", False)):
        with pytest.raises(error) as caught, limited(0.02):
            fault()
        assert findings.note(caught.value, data) is is_new
    (kept,) = tmp_path.glob("*.input")
    assert kept.read_bytes() == b"tiny"
    assert error.__name__ in kept.with_suffix(".txt").read_text()


def test_findings_are_told_apart_by_what_does_not_hold() -> None:
    same = {str(Signature.of(ViolationError(f"line {n} of 'x{n}'"))) for n in range(3)}
    assert len(same) == 1
    assert str(Signature.of(ViolationError("something else"))) not in same


def test_figures_are_those_of_the_last_lines() -> None:
    figures = Figures("x")
    for line in (
        "#16\tNEW    cov: 275 ft: 1062 corp: 162/30Kb lim: 1799 exec/s: 788 rss: 49Mb L: 1/2",
        "INFO: Instrumenting devicefix.source",
        'fuzz.session: {"inputs": 20, "cpu": 90.0, "slowest": 0.5}',
    ):
        figures = read(line, figures)
    assert str(figures) == (
        "x: 20 inputs, 275 edges, 1,062 features, 162 in the corpus, 1.5 min, slowest 0.5 s, "
        "0 findings"
    )
