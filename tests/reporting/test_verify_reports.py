"""What a verification found: on a screen, in a pull request, and for programs."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from devicefix.records import Ending, Failure, How, Place, placement_of, read_record
from devicefix.records.observations import Kind
from devicefix.reporting import verify_json, verify_markdown
from devicefix.reporting.verify_text import show_verification
from devicefix.verification.result import (
    Comparison,
    Difference,
    Furthest,
    Role,
    RunSummary,
    Verdict,
    Verification,
)

SCHEMA = json.loads(
    (Path(__file__).resolve().parents[2] / "docs" / "verify.schema.json").read_text("utf-8")
)


@pytest.fixture(autouse=True)
def _here(failing: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(failing.parent)


OFF = Furthest("the loss", 0.5, 0.50001, None)


@pytest.fixture
def passed(record: dict[str, Any], failing: Path) -> Verification:
    """A program that crashed on the device before the change, and does the same on it after."""
    place = Place(str(failing), 7, "<module>", "print(model(inputs).sum())")
    failure = Failure("RuntimeError", "two devices", True, None, place, (), (), "")
    good, bad = Ending(How.EXITED, 0, 1.25), Ending(How.EXITED, 1, 0.5)
    record["lines"] = [record["lines"][1]]
    record["work"] = {"cuda:0": 9990, "cpu": 10}
    record["notes"] = []
    after = placement_of([read_record(json.dumps(record))])
    before = placement_of([])
    return Verification(
        entry=("train.py", "--epochs", "1"),
        verdict=Verdict.PASS,
        reason="the program behaves the same after the change",
        baseline="cpu",
        comparisons=(
            Comparison("cpu", Verdict.PASS, 412, 3, None),
            Comparison("sim:cuda", Verdict.PASS, 412, 0, None, OFF, "float32 on a real device"),
        ),
        runs=(
            RunSummary(Role.BEFORE, "cpu", good, None, None, ""),
            RunSummary(Role.BEFORE, "sim:cuda", bad, failure, before, "Traceback …"),
            RunSummary(Role.BEFORE_AGAIN, "cpu", good, None, None, ""),
            RunSummary(Role.AFTER, "cpu", good, None, None, ""),
            RunSummary(Role.AFTER, "sim:cuda", good, None, after, ""),
        ),
        executed={"train.py": frozenset({3, 1})},
        changed=("train.py",),
        seconds=4.5,
    )


def differing(
    passed: Verification, failing: Path, before: str = "0.5", what: str = "the loss"
) -> Verification:
    """The same, but the loss is another one, and half of the work stays behind."""
    old = Place(str(failing), 5, "f", "loss.backward()")
    new = Place(str(failing), 6, "f", "loss.mean().backward()")
    difference = Difference(Kind.LOSS, what, before, "0.75", old, new, "off by 0.5, relative")
    comparison = replace(
        passed.comparisons[1], verdict=Verdict.DIFFERS, difference=difference, notes=("a note",)
    )
    run = passed.runs[-1]
    assert run.placement is not None
    work = {"cuda:0": 500, "cpu": 500}
    line = replace(run.placement.lines[0], work=work)
    placement = replace(run.placement, work=work, host_lines=(line,))
    return replace(
        passed,
        verdict=Verdict.DIFFERS,
        reason="on sim:cuda the program behaves differently after the change",
        comparisons=(passed.comparisons[0], comparison),
        runs=(*passed.runs[:-1], replace(run, placement=placement)),
    )


def shown(verification: Verification, *notes: str) -> list[str]:
    out = io.StringIO()
    show_verification(verification, out, notes)
    return out.getvalue().splitlines()


def test_a_pass_is_read_in_ten_seconds(passed: Verification) -> None:
    assert shown(passed) == [
        "pass: train.py --epochs 1 on cpu, sim:cuda",
        "the program behaves the same after the change",
        "  run                  ended                         on the accelerator  copies",
        "  before, on cpu       exit 0, 1.2 s",
        "  before, on sim:cuda  RuntimeError at failing.py:7  no arithmetic       none",
        "  after, on cpu        exit 0, 1.2 s",
        "  after, on sim:cuda   exit 0, 1.2 s                 99.9%               4, 184 B",
        "cpu: 412 values compared, 3 not compared because they vary from run to run: all equal",
        "sim:cuda: 412 values compared: equal within float32 on a real device",
        "  largest difference: the loss, 0.5 and 0.50001 (1.0e-05 absolute, 2.0e-05 relative)",
    ]


def test_a_difference_has_both_values_and_lines(passed: Verification, failing: Path) -> None:
    lines = shown(differing(passed, failing), "x.py has changed since it was applied")
    assert lines[0] == "differs: train.py --epochs 1 on cpu, sim:cuda"
    assert lines[9:] == [
        "first difference on sim:cuda: the loss",
        "  before  0.5",
        "          failing.py:5  loss.backward()",
        "  after   0.75",
        "          failing.py:6  loss.mean().backward()",
        "  off by 0.5, relative",
        "computed on the CPU on sim:cuda",
        "    50.0%  failing.py:7  print(model(inputs).sum())",
        "  modules on the CPU: 2",
        "note: x.py has changed since it was applied",
        "note: a note",
    ]


def test_a_difference_on_all_devices_is_told_once(passed: Verification, failing: Path) -> None:
    found = differing(passed, failing)
    same = replace(found.comparisons[1], device="cpu")
    found = replace(found, comparisons=(same, found.comparisons[1]))
    heads = [line for line in shown(found) if line.startswith("first difference")]
    assert heads == ["first difference on cpu, sim:cuda: the loss"]
    assert verify_markdown.render(found).count("**First difference on cpu, sim:cuda**") == 1


def test_it_fits_on_a_screen_whatever_the_program_says(passed: Verification, failing: Path) -> None:
    long = differing(passed, failing, "x" * 500 + "\x1b[31m\n" * 10, "y" * 300)
    long = replace(long, reason="word " * 100)
    notes = [f"note {n}\n" * 50 for n in range(50)]
    lines = shown(long, *notes)
    assert lines[1].startswith("word word")
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 100
    assert not any("\x1b" in line for line in lines)


def test_what_is_most_important_is_shown_whatever_the_number_of_devices(
    passed: Verification, failing: Path
) -> None:
    found = differing(passed, failing)
    others = [
        replace(
            found.comparisons[1], device=f"sim:cuda:{n}", difference=replace(d, what=f"loss {n}")
        )
        for n in range(2, 5)
        if (d := found.comparisons[1].difference) is not None
    ]
    lines = shown(replace(found, comparisons=(*found.comparisons, *others)), "a hint")
    assert len(lines) <= 25
    assert "first difference on sim:cuda: the loss" in lines
    assert "note: a hint" in lines


def test_a_long_path_leaves_room_for_the_other_columns(passed: Verification) -> None:
    failure = passed.runs[1].failure
    assert failure is not None
    assert failure.at is not None
    failure = replace(failure, at=replace(failure.at, file="/some/where/" * 9 + "train.py"))
    runs = (passed.runs[0], replace(passed.runs[1], failure=failure), *passed.runs[2:])
    lines = shown(replace(passed, runs=runs))
    assert "/train.py:7  no arithmetic " in lines[4]
    assert lines[6].endswith("99.9%               4, 184 B")


def test_a_partial_pass_says_so(passed: Verification) -> None:
    comparison = replace(passed.comparisons[0], partial=True)
    run = replace(passed.runs[0], ending=Ending(How.TIMEOUT, 124, 600.0))
    partial = replace(passed, comparisons=(comparison,), runs=(run,))
    lines = shown(partial)
    assert lines[0] == "pass so far: train.py --epochs 1 on cpu"
    assert "stopped after 600.0 s" in lines[3]


@pytest.mark.parametrize(
    ("ending", "said"),
    [
        (Ending(How.SIGNAL, 139, 0.5, 11), "signal 11, 0.5 s"),
        (Ending(How.MEMORY, 137, 0.5, 9, 900), "stopped: it used 900 MB"),
        (Ending(How.EXITED, 3, 0.5), "exit 3, 0.5 s"),
    ],
)
def test_other_ends(passed: Verification, ending: Ending, said: str) -> None:
    run = replace(passed.runs[0], ending=ending)
    assert said in shown(replace(passed, runs=(run,)))[3]


def test_nothing_to_verify_is_said(passed: Verification) -> None:
    lines = shown(replace(passed, changed=()))
    assert lines[-1] == "note: nothing was changed: the program was compared with itself"


def test_nothing_found_out(passed: Verification) -> None:
    comparison = Comparison("cpu", Verdict.FAILED, 0, 0, None, notes=("nothing was observed",))
    failed = replace(
        passed,
        verdict=Verdict.FAILED,
        reason="cpu: nothing was observed",
        comparisons=(comparison,),
        runs=(),
    )
    assert shown(failed) == [
        "could not be verified: train.py --epochs 1 on cpu",
        "cpu: nothing was observed",
        "cpu: nothing was compared",
    ]


# For a pull request -------------------------------------------------------------------------------


def test_the_markdown_of_a_pass(passed: Verification) -> None:
    assert verify_markdown.render(passed).splitlines() == [
        "### devicefix verify: pass",
        "",
        "`train.py --epochs 1` on cpu, sim:cuda: the program behaves the same after the change.",
        "",
        "| run | ended | on the accelerator | copies |",
        "| --- | --- | --- | --- |",
        "| before, on cpu | exit 0, 1.2 s |  |  |",
        "| before, on sim:cuda | RuntimeError at failing.py:7 | no arithmetic | none |",
        "| after, on cpu | exit 0, 1.2 s |  |  |",
        "| after, on sim:cuda | exit 0, 1.2 s | 99.9% | 4, 184 B |",
        "",
        (
            "- **cpu**: 412 values compared, 3 not compared because they vary from run to run: "
            "all equal"
        ),
        (
            "- **sim:cuda**: 412 values compared: equal within float32 on a real device; "
            "largest difference: the loss, 0.5 and 0.50001 (1.0e-05 absolute, 2.0e-05 relative)"
        ),
        "",
        "<details><summary>Files, lines on the CPU, notes</summary>",
        "",
        "- changed: `train.py`",
        "",
        "</details>",
    ]


def test_the_markdown_of_a_difference(passed: Verification, failing: Path) -> None:
    text = verify_markdown.render(differing(passed, failing, "a|b`c"))
    assert "**First difference on sim:cuda**: `the loss`" in text
    assert "| before | ``a\\|b`c`` | `failing.py:5` | `loss.backward()` |" in text
    assert "- 50.0% `failing.py:7` `print(model(inputs).sum())`" in text
    assert "- module `2` is on the CPU" in text
    assert "- `a note`" in text


HOSTILE = "</details> <img src=x> @octocat #1 ``` | [a](b) **bold**\n# heading"


def test_the_markdown_keeps_what_the_program_says_in_code(
    passed: Verification, failing: Path
) -> None:
    bad = differing(passed, failing, HOSTILE, HOSTILE)
    failure = bad.runs[1].failure
    assert failure is not None
    run = replace(bad.runs[1], failure=replace(failure, type="<b>@octocat|"))
    runs = (bad.runs[0], run, *bad.runs[2:])
    reason = "runs nowhere (ValueError: <img> @octocat)"
    bad = replace(bad, entry=(HOSTILE,), runs=runs, changed=(HOSTILE,), reason=reason)
    text = verify_markdown.render(bad, [HOSTILE])
    outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", text)
    outside = outside.replace("<details><summary>", "").replace("</summary>", "", 1)
    assert outside.count("</details>") == 1
    outside = outside.replace("</details>", "").replace("@&#8203;", "")
    assert not re.search(r"(?<!\\)<|@|#1|\*\*bold", outside)
    heads = [line for line in text.splitlines() if line.startswith("#")]
    assert heads == ["### devicefix verify: differs"]
    table = [line for line in text.splitlines() if line.startswith("| before")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in table} == {5}


# For programs -------------------------------------------------------------------------------------


def valid(text: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(text)
    jsonschema.Draft202012Validator(SCHEMA).validate(content)
    return content


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_the_json_keeps_to_the_schema(passed: Verification, failing: Path) -> None:
    content = valid(verify_json.render(passed, ["said before"]))
    assert content["verdict"] == "pass"
    assert content["executed"] == {"train.py": [1, 3]}
    assert content["notes"] == ["said before"]
    after = content["runs"][-1]
    assert (after["role"], after["placement"]["copies"]) == ("after", {"count": 4, "bytes": 184})
    content = valid(verify_json.render(differing(passed, failing)))
    assert content["comparisons"][1]["difference"]["at_after"]["line"] == 6
    assert content["runs"][1]["error"]["type"] == "RuntimeError"


@pytest.mark.parametrize("verdict", list(Verdict))
def test_every_verdict_is_in_the_schema_and_has_words(
    verdict: Verdict, passed: Verification
) -> None:
    found = replace(passed, verdict=verdict)
    assert valid(verify_json.render(found))["verdict"] == verdict.value
    assert not shown(found)[0].startswith(":")


@pytest.mark.parametrize("kind", [None, *Kind])
def test_every_kind_of_observation_is_in_the_schema(
    kind: Kind | None, passed: Verification, failing: Path
) -> None:
    found = differing(passed, failing)
    difference = found.comparisons[1].difference
    assert difference is not None
    comparison = replace(found.comparisons[1], difference=replace(difference, kind=kind))
    valid(verify_json.render(replace(found, comparisons=(comparison,))))


def test_the_schema_would_object(passed: Verification, failing: Path) -> None:
    content = json.loads(verify_json.render(differing(passed, failing)))
    with pytest.raises(jsonschema.ValidationError):
        valid(json.dumps({**content, "more": 1}))
    del content["comparisons"][1]["difference"]["detail"]
    with pytest.raises(jsonschema.ValidationError):
        valid(json.dumps(content))
