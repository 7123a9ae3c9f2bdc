from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from devicefix.codemod import Codemod, Conversion
from devicefix.engine import check
from devicefix.engine.choice import Choice
from devicefix.engine.workbench import Workbench
from devicefix.findings import Applicability, Edit, Finding, Fix, Span
from devicefix.settings import Settings
from devicefix.source import Program, Source, SourceError

Build = Callable[..., Workbench]
Swap = Callable[..., type[Codemod]]


def conversion(
    code: str, old: str, new: str, sure: Applicability = Applicability.SAFE
) -> type[Codemod]:
    """Replaces every ``old``, wherever it stands."""

    class Rewrite(Conversion):
        name = f"rule-{code.lower()}"

        def convert(self, source: Source, program: Program) -> Iterator[Finding]:
            at = source.text.find(old)
            while at >= 0:
                span = Span(at, at + len(old))
                fix = Fix((Edit(span.start, span.end, 0, new),), sure, code)
                yield self.finding(source, span, f"`{old}` is no more", fix)
                at = source.text.find(old, span.end)

    Rewrite.code = code
    return Rewrite


def program(text: str) -> Program:
    return Program.alone(Source.from_text(text, "x.py"))


OLD = "print =: 2; old = 3\nprint =: old\n"


def test_a_file_is_converted_before_it_is_looked_at(workbench: Build, swap: Swap) -> None:
    bench = workbench(conversion("DFX6", "print =:", "print ="), swap("DFX1", "old", "new"))
    outcome = bench.mend(program(OLD))
    (result,) = outcome.results
    assert result.change is not None
    assert (result.change.before, result.change.after) == (
        OLD.encode(),
        b"print = 2; new = 3\nprint = new\n",
    )
    found = [(f.code, f.line, f.column) for f in result.findings]
    assert set(result.applied) == set(result.findings)
    assert found == [("DFX6", 1, 1), ("DFX1", 1, 13), ("DFX6", 2, 1), ("DFX1", 2, 10)]
    assert [group.codes for group in outcome.groups] == [("DFX6",), ("DFX1",), ("DFX1",)]
    assert result.change.codes == {"DFX1", "DFX6"}
    assert (outcome.errors, outcome.unparsed) == ((), ())


def test_a_check_names_places_in_the_file_as_it_is(workbench: Build, swap: Swap) -> None:
    bench = workbench(conversion("DFX6", "print =:", "p ="), swap("DFX1", "old", "new"))
    (result,) = bench.survey(program(OLD)).results
    found = [(f.code, f.line, f.column) for f in result.findings]
    assert found == [("DFX6", 1, 1), ("DFX1", 1, 13), ("DFX6", 2, 1), ("DFX1", 2, 10)]
    assert (result.left, result.change) == ((), None)


def test_conversions_follow_each_other(workbench: Build) -> None:
    bench = workbench(conversion("DFX6", "=:", "="), conversion("DFX7", "if", "iff"))
    (result,) = bench.mend(program("if =: 1\n")).results
    assert result.change is not None
    assert result.change.after == b"iff = 1\n"


def test_what_parses_is_not_converted(workbench: Build) -> None:
    (result,) = workbench(conversion("DFX6", "a", "b")).mend(program("a = 1\n")).results
    assert (result.findings, result.change) == ((), None)


@pytest.mark.parametrize(
    ("codemods", "reason"),
    [
        ((), "x.py:1: error: syntax error: invalid syntax"),
        ((conversion("DFX6", "nothing", ""),), "x.py:1: error: syntax error: invalid syntax"),
        ((conversion("DFX6", "2", "3"),), "x.py:1: error: syntax error: invalid syntax"),
        (
            (conversion("DFX6", "=:", "=", Applicability.UNSAFE),),
            (
                "x.py:1: error: `=:` is no more; DFX6 would convert it: the fix is unsafe "
                "(--unsafe-fixes applies it)"
            ),
        ),
    ],
)
def test_what_nothing_can_be_made_of_is_named_and_left(
    workbench: Build, codemods: Any, reason: str
) -> None:
    text = "print =: 2\n"
    for work in ("mend", "rehearse", "survey"):
        outcome = getattr(workbench(*codemods), work)(program(text))
        assert [str(error) for error in outcome.unparsed] == [reason]
        assert [(r.findings, r.change) for r in outcome.results] == [((), None)]


def test_the_others_are_worked_on(workbench: Build, swap: Swap) -> None:
    broken, sound = Source.from_text("old =: 1", "a.py"), Source.from_text("old = 1\n", "b.py")
    both = Program.alone(broken)
    both = replace(both, sources={"a.py": broken, "b.py": sound})
    outcome = workbench(swap("DFX1", "old", "new")).mend(both)
    assert [r.change is not None for r in outcome.results] == [False, True]
    assert [error.path for error in outcome.unparsed] == ["a.py"]


def test_a_kind_that_is_not_selected_does_not_convert(workbench: Build) -> None:
    bench = workbench(conversion("DFX6", "=:", "="), selected="DFX1")
    assert len(bench.mend(program("a =: 1\n")).unparsed) == 1


def test_the_reason_of_the_conversion_counts(workbench: Build) -> None:
    class Refusing(Conversion):
        code = "DFX6"
        name = "refusing"

        def convert(self, source: Source, program: Program) -> Iterator[Finding]:
            raise SourceError(source.path, 2, "is of no kind")
            yield

    outcome = workbench(Refusing).mend(program("a =: 1\n"))
    assert [str(error) for error in outcome.unparsed] == ["x.py:2: error: is of no kind"]


def test_a_conversion_can_be_left_out_by_its_name(workbench: Build) -> None:
    bench = workbench(conversion("DFX6", "=:", "="))
    (group,) = bench.mend(program("a =: 1\n")).groups
    outcome = replace(bench, choice=Choice(frozenset([group.identity]))).mend(program("a =: 1\n"))
    assert [str(e) for e in outcome.unparsed] == [
        "x.py:1: error: `=:` is no more; DFX6 would convert it: left out"
    ]


@pytest.mark.parametrize(
    "text", ["a =: 1  # devicefix: ignore[DFX6]\n", "# devicefix: skip-file\nif then\na =: 1\n"]
)
def test_comments_keep_it_away(workbench: Build, text: str) -> None:
    (result,) = workbench(conversion("DFX6", "=:", "=")).mend(program(text)).results
    assert result.change is None


def test_comments_are_found_behind_what_cannot_be_read(workbench: Build) -> None:
    text = "if a:\n        b\n    c =: 1\n# devicefix: skip-file\n"
    outcome = workbench(conversion("DFX6", "=:", "=")).mend(program(text))
    assert (outcome.unparsed, outcome.results[0].change) == ((), None)


@pytest.mark.parametrize(
    ("others", "is_converted"),
    [
        ({"train.py": "import torch\nprint 'ready'\n"}, True),
        ({"train.py": "import torch\n"}, False),  # a program of Python 3
        ({"train.py": "import numpy\nprint 'ready'\n"}, False),
        ({"torchy/.git/config": "", "torchy/train.py": "import torch\nprint 'ready'\n"}, False),
    ],
)
def test_what_lies_beside_an_old_program_of_torch_is_converted_too(
    tmp_path: Path, others: dict[str, str], is_converted: bool
) -> None:
    for name, text in {**others, "prepare_data.py": "print 'ready'\n"}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    old = (conversion("DFX6", "print 'ready'", "print('ready')"),)
    report = check([tmp_path], Settings(), codemods=old, analyse=lambda _: {})
    names = {Path(file.path).name for file in report.files}
    assert ("prepare_data.py" in names) is is_converted
    assert report.errors == ()


def test_a_notebook_of_which_only_a_broken_cell_is_about_torch_is_named(tmp_path: Path) -> None:
    cell = '{"cell_type": "code", "source": "import torch\\nif x then", "metadata": {}}'
    path = tmp_path / "lesson.ipynb"
    path.write_text(f'{{"cells": [{cell}], "metadata": {{}}, "nbformat": 4}}')
    report = check([path], Settings(), codemods=(), analyse=lambda _: {})
    assert [(error.cell, error.line) for error in report.errors] == [(1, 2)]
