"""What a verification has to find, and what it must not accuse.

``tests/verification/defects`` holds programs in two states and the defects planted in them. A run
of a program takes seconds, and all of them most of an hour: here a few are tried, and all of them
where the environment has ``DEVICEFIX_JUDGE=1``. `benchmarks/verification.py` measures the same and
keeps the figures in docs/verification.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from devicefix.records import Place
from devicefix.records.observations import Kind
from devicefix.verification import verifying
from devicefix.verification.result import Comparison, Difference, Verdict, Verification
from tests.forking import Borrowed
from tests.verification.defects.catalogue import (
    CLASSES,
    PROGRAMS,
    CatalogueError,
    Defect,
    Program,
    made_wrong,
    read_programs,
    steady_programs,
)
from tests.verification.defects.judging import Outcome, again, judged, outcomes

ALL: Final = read_programs()
STEADY: Final = steady_programs()
NAMES: Final = [program.name for program in ALL]

judge = pytest.mark.skipif(
    os.environ.get("DEVICEFIX_JUDGE") != "1",
    reason="all planted defects take most of an hour; DEVICEFIX_JUDGE=1 runs them",
)


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """The programs are small; more threads would only be in each other's way."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


@pytest.fixture(autouse=True)
def one_fork_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """torch is imported once for all of them."""
    monkeypatch.setattr(verifying, "ForkServer", Borrowed)


def program_named(name: str) -> Program:
    return next(program for program in ALL if program.name == name)


def defect_named(program: str, name: str) -> Defect:
    return next(d for d in program_named(program).defects if d.name == name)


def complaints(found: Sequence[Outcome]) -> list[Outcome]:
    """Programs that are right and accused; defects that are missed, or shown elsewhere."""
    return [
        outcome
        for outcome in found
        if (outcome.verdict != "pass" if not outcome.defect else not outcome.caught)
        or outcome.right_line is False
    ]


# What is planted -----------------------------------------------------------------------------


def test_there_are_enough_defects_and_programs() -> None:
    assert len(ALL) >= 40
    assert len(CLASSES) >= 40
    assert sum(len(program.defects) for program in ALL) >= 255
    assert sum(len(program.harmless) for program in ALL) >= 150
    assert len(STEADY) >= 12


@pytest.mark.parametrize("kind", CLASSES)
def test_every_class_is_planted_in_three_programs(kind: str) -> None:
    programs = {p.name for p in ALL if any(d.kind == kind for d in p.defects)}
    assert len(programs) >= 3


@pytest.mark.parametrize("name", NAMES)
def test_defects_are_where_their_program_says(name: str) -> None:
    program = program_named(name)
    assert max(Counter(defect.name for defect in program.defects).values()) == 1
    for defect in program.defects:
        if not defect.untouched:
            assert defect.text != (program.after.root / defect.file).read_text()
        assert defect.coverage or defect.left or defect.status or defect.places | defect.former


@pytest.mark.parametrize("name", NAMES)
def test_harmless_forms_are_other_texts_with_names_of_their_own(name: str) -> None:
    program = program_named(name)
    texts = {(form.file, form.text) for form in program.harmless}
    assert len({form.name for form in program.harmless}) == len(program.harmless) >= 2
    assert len(texts) == len(program.harmless)
    for file, text in texts:
        assert text != (program.after.root / file).read_text()


def test_a_harmless_form_that_is_written_wrongly_is_refused() -> None:
    form = replace(program_named("lm").harmless[0], edits=(("device", "place"),))
    with pytest.raises(CatalogueError, match="times"):
        _ = form.text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"old": "not in the file"}, "is there 0 times"),
        ({"old": "device"}, "times"),
        ({"shows": ("no such line",)}, "0 lines have"),
        ({"shows": ("device",)}, "lines have"),
    ],
)
def test_a_defect_that_is_written_wrongly_is_refused(
    change: dict[str, object], message: str
) -> None:
    defect = replace(defect_named("sensor", "levels-on-the-host"), **change)  # type: ignore[arg-type]
    with pytest.raises(CatalogueError, match=message):
        _ = defect.places


# What judges it ------------------------------------------------------------------------------


def found(verdict: Verdict, difference: Difference | None, device: str = "cpu") -> Verification:
    comparison = Comparison(device, verdict, 1, 0, difference)
    return Verification(("main.py",), verdict, "", "cpu", (comparison,), (), {}, ("main.py",), 1.0)


def difference_at(program: str, line: int) -> Difference:
    place = Place(str(PROGRAMS / program / "after" / "main.py"), line, "<module>", "")
    return Difference(Kind.READ, ".item", "1", "2", None, place)


def test_a_defect_is_caught_by_the_verdict_on_the_device_that_shows_it() -> None:
    defect = defect_named("sensor", "low-is-a-copy")
    (_, line) = next(iter(defect.places))
    there = difference_at("sensor", line)
    outcome = judged(defect, found(Verdict.DIFFERS, there))
    assert (outcome.caught, outcome.right_line) == (True, True)
    assert not judged(defect, found(Verdict.DIFFERS, there, "sim:cuda")).caught
    assert judged(defect, found(Verdict.STILL_FAILS, there)).caught
    assert not judged(defect, found(Verdict.PASS, None)).caught
    assert not judged(defect, found(Verdict.FAILED, None)).caught


def test_another_line_is_a_wrong_line() -> None:
    defect = defect_named("sensor", "low-is-a-copy")
    outcome = judged(defect, found(Verdict.DIFFERS, difference_at("sensor", 1)))
    assert (outcome.caught, outcome.right_line) == (True, False)


def test_a_name_at_the_end_is_right_only_if_it_is_expected() -> None:
    defect = defect_named("denoise", "weight-is-an-attribute")
    for name, right in (("criterion.weight", True), ("images", False)):
        left = Difference(Kind.LEFT, name, "1", "", None, None)
        assert judged(defect, found(Verdict.DIFFERS, left)).right_line is right


def test_what_moves_nothing_is_caught_by_its_placement_alone() -> None:
    defect = defect_named("sensor", "nothing-moved")
    assert judged(defect, found(Verdict.NOT_MOVED, None, "sim:cuda")).caught
    assert not judged(defect, found(Verdict.PASS, None, "sim:cuda")).caught


# What a verification says --------------------------------------------------------------------


@pytest.mark.slow
def test_a_few_defects_are_found_where_they_show() -> None:
    sensor = program_named("sensor")
    chosen = ("levels-on-the-host", "nothing-moved", "low-is-a-copy")
    defects = [defect for defect in sensor.defects if defect.name in chosen]
    assert not complaints(list(outcomes(sensor, defects, whole=False)))


@pytest.mark.slow
def test_an_exit_status_that_changes_is_found() -> None:
    defect = defect_named("metrics", "ends-well")
    assert not complaints(list(outcomes(defect.program, [defect], whole=False, right=False)))


@judge
@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_defect_is_found_where_it_shows(name: str) -> None:
    program = program_named(name)
    assert not complaints(list(outcomes(program, program.defects, whole=False)))


@judge
@pytest.mark.slow
@pytest.mark.parametrize("name", [program.name for program in STEADY])
def test_a_program_that_is_never_the_same_is_accused_of_its_defect_alone(name: str) -> None:
    program = next(program for program in STEADY if program.name == name)
    right, wrong = again(program, made_wrong(program))
    assert right.verdict == "pass", right
    assert wrong.verdict == "differs", wrong


def test_each_of_these_programs_has_a_defect() -> None:
    assert all(made_wrong(program).overlay for program in STEADY)


def test_the_page_counts_what_was_measured(tmp_path: Path) -> None:
    """`benchmarks/verification_page.py` is a script beside the package."""
    import importlib.util

    file = Path(__file__).parents[2] / "benchmarks" / "verification_page.py"
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    page = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(page)
    row = {"defect": "x", "caught": True, "right_line": True, "verdict": "differs"}
    assert not page.is_wrong(row)
    assert page.is_wrong({**row, "caught": False})
    assert page.is_wrong({**row, "right_line": False})
    assert page.is_wrong({"defect": "", "verdict": "differs"})
    page.write(tmp_path)
    assert (tmp_path / "README.md").read_text().count("Not measured yet.") == 4
