"""What a baseline, or `since`, leaves out: decisions as a whole, in all doors of the engine."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from devicefix.codemod import Codemod
from devicefix.engine import Choice, Report, apply, check, processes, rehearsal
from devicefix.engine.groups import Policy
from devicefix.engine.recording import record_baseline
from devicefix.engine.scope import Scope
from devicefix.engine.since import changed_lines
from devicefix.engine.workbench import Workbench
from devicefix.settings import Settings
from devicefix.source import Program, Source
from tests.repository import commit_all, needs_git

Tree = Callable[[dict[str, str]], Path]
Swap = Callable[..., type[Codemod]]
Bench = Callable[..., Workbench]


def scoped(bench: Workbench, scope: Scope) -> Workbench:
    return replace(bench, policy=replace(bench.policy, scope=scope))


def on_line(*lines: int) -> Scope:
    return Scope({"x.py": tuple((line, line) for line in lines)})


def program(text: str) -> Program:
    return Program.alone(Source.from_text(text, "x.py"))


def lines(bench: Workbench, text: str) -> list[int]:
    """The lines of what is shown; the same by a check and by a rehearsal."""
    (surveyed,), (rehearsed,) = (
        bench.survey(program(text)).results,
        bench.rehearse(program(text)).results,
    )
    assert [f.line for f in surveyed.findings] == [f.line for f in rehearsed.findings]
    return [finding.line for finding in surveyed.findings]


TEXT = "old = 1\nrisky = 1\nold = 2\nlast = 1\n"


def test_a_decision_counts_as_a_whole(workbench: Bench, swap: Swap) -> None:
    bench = workbench(
        swap("TST1", "old", "new", group="g"), swap("TST2", "risky", "bold", group="g")
    )
    assert lines(scoped(bench, on_line(4)), TEXT) == []
    assert lines(scoped(bench, on_line(2)), TEXT) == [1, 2, 3]
    (result,) = scoped(bench, on_line(2)).mend(program(TEXT)).results
    assert result.change is not None
    assert result.change.after == b"new = 1\nbold = 1\nnew = 2\nlast = 1\n"


def test_a_finding_that_nobody_hears_of_brings_in_no_other(workbench: Bench, swap: Swap) -> None:
    """A line with a suppression, or of a rule that is not selected, is no reason to report."""
    codemods = swap("TST1", "old", "new", group="g"), swap("TST2", "risky", "bold", group="g")
    bench = workbench(*codemods, selected="TST1")
    assert lines(scoped(bench, on_line(2)), TEXT) == []
    assert lines(scoped(bench, on_line(3)), TEXT) == [1, 3]


def test_findings_without_a_fix_stand_for_themselves(
    workbench: Bench, make_codemod: Callable[..., type[Codemod]]
) -> None:
    def told(self: Codemod, context: Any) -> Any:
        for node in context.source.tree.body:
            yield context.finding(self, node, "here")

    assert lines(scoped(workbench(make_codemod("TST1", told)), on_line(2, 4)), TEXT) == [2, 4]


def test_lines_are_those_of_the_file_whatever_went_in_before(workbench: Bench, swap: Swap) -> None:
    """The second rule finds what the first has made, and moved down."""
    made = "(" + "\n" * 12
    bench = workbench(swap("TST1", "old", f"{made}new)"), swap("TST2", "new", "newest"))
    text = "old = 1\nnew = 2\nlast = 3\n"
    (result,) = scoped(bench, on_line(1, 3)).mend(program(text)).results
    assert result.change is not None
    assert result.change.after.decode() == f"{made}newest) = 1\nnew = 2\nlast = 3\n"


def test_left_out_of_a_scope_stays_left_out_for_whoever_trusts_all(
    workbench: Bench, swap: Swap
) -> None:
    """A review proposes unsafe fixes, too, but none that the run is not about."""
    from devicefix.findings import Applicability

    bench = workbench(swap("TST1", "old", "new", Applicability.UNSAFE))
    bench = replace(scoped(bench, on_line(3)), choice=Choice(trusts_all=True))
    (result,) = bench.rehearse(program(TEXT)).results
    assert [f.line for f in result.applied] == [3]


# ---- The doors, with the rules that are installed ------------------------------------------------

MODEL = """\
import torch
from torch import nn

model = nn.Linear(3, 1).cuda()
x = torch.ones(2, 3)
print(model(x))
"""
SAFE = Settings()


def test_half_of_a_decision_is_neither_known_nor_made(tree: Tree) -> None:
    """One name ties the guard and what it guards together; one of them is new."""
    root = tree({"a.py": MODEL})
    baseline = root / "known.json"
    record_baseline([root], SAFE, baseline)
    known = Settings(baseline=str(baseline))
    more = MODEL + "y = torch.zeros(2, 3)\nprint(model(y))\n"
    (root / "a.py").write_text(more)
    report = check([root], known)
    shared = [f for f in report.files[0].findings if f.code == "DFX103"]
    assert [f.line for f in shared] == [5, 7]
    assert report.baseline is not None
    assert report.baseline.hidden == 1  # DFX201 is a decision of its own
    (result,) = apply([root], known, dry_run=True).files
    assert result.applied == tuple(shared)


def fixed(report: Report) -> list[tuple[str, str, int]]:
    return [(Path(f.path).name, f.code, f.line) for r in report.files for f in r.applied]


def test_all_doors_leave_out_the_same(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tree({f"{name}.py": MODEL for name in "abc"})
    baseline = root / "known.json"
    record_baseline([root], SAFE, baseline)
    (root / "b.py").write_text(MODEL.replace("ones", "rand"))
    known = Settings(baseline=str(baseline))
    monkeypatch.setattr(processes, "WORTH", 1)
    reports = [
        apply([root], known, dry_run=True),
        apply([root], known, dry_run=True, jobs=2),
        rehearsal([root], known).report(),
        rehearsal([root], known, jobs=2).report(Choice(trusts_all=True)),
    ]
    for report in reports:
        assert fixed(report) == [("b.py", "DFX103", 5)]
        assert [Path(r.path).name for r, _ in report.changes] == ["b.py"]
    surveys = [check([root], known), check([root], known, jobs=2)]
    assert surveys[0].baseline == surveys[1].baseline
    assert surveys[0].baseline is not None
    assert (surveys[0].baseline.hidden, len(surveys[0].baseline.stale)) == (5, 1)


@needs_git
def test_since_with_several_processes(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tree({f"{name}.py": MODEL for name in "abc"})
    commit_all(root)
    for name in "ab":
        (root / f"{name}.py").write_text(MODEL.replace("ones", "rand"))
    monkeypatch.setattr(processes, "WORTH", 1)
    for jobs in (1, 2):
        report = apply([root], SAFE, dry_run=True, jobs=jobs, since="HEAD")
        assert fixed(report) == [("a.py", "DFX103", 5), ("b.py", "DFX103", 5)]


@needs_git
def test_since_and_a_text_that_takes_the_place_of_a_file(tree: Tree) -> None:
    root = tree({"a.py": MODEL, "b.py": MODEL})
    commit_all(root)
    overlay = {root / "a.py": MODEL.replace("ones", "rand").encode()}
    report = rehearsal([root], SAFE, True, overlay=overlay, since="HEAD").report()
    assert fixed(report) == [("a.py", "DFX103", 5)]


TAGGER = Path(__file__).parents[2] / "examples" / "tagger"


@needs_git
def test_a_decision_over_three_files_is_never_halved(tmp_path: Path) -> None:
    root = tmp_path / "tagger"
    shutil.copytree(TAGGER, root)
    commit_all(root)
    baseline = tmp_path / "known.json"
    record_baseline([root], SAFE, baseline)
    known = Settings(baseline=str(baseline))
    for report in (check([root], SAFE, since="HEAD"), check([root], known)):
        assert report.files == ()
    data = root / "data.py"
    data.write_text(data.read_text().replace("(length, length)", "(length, length * 1)"))
    whole = fixed(apply([root], SAFE, dry_run=True))
    assert {name for name, _, _ in whole} == {"data.py", "model.py", "train.py"}
    assert fixed(apply([root], SAFE, dry_run=True, since="HEAD")) == whole
    assert fixed(apply([root], known, dry_run=True)) == whole


PYTHON_2 = "import torch\nprint torch.ones(2)\n"


def test_a_file_of_python_2_that_is_known_stays_as_it_is(tree: Tree) -> None:
    root = tree({"a.py": PYTHON_2, "b.py": MODEL})
    baseline = root / "known.json"
    assert record_baseline([root], SAFE, baseline).added == 3
    known = Settings(baseline=str(baseline))
    for report in (check([root], known), apply([root], known, dry_run=True)):
        assert (report.files, report.errors) == ((), ())
    (root / "a.py").write_text(PYTHON_2.replace("ones", "rand"))
    (result,) = apply([root], known, dry_run=True).files
    assert [(f.code, f.line) for f in result.applied] == [("DFX606", 2)]


def test_what_is_new_in_a_file_of_python_2_is_told_and_left(tree: Tree) -> None:
    root = tree({"a.py": PYTHON_2})
    baseline = root / "known.json"
    record_baseline([root], SAFE, baseline)
    known = Settings(baseline=str(baseline))
    (root / "a.py").write_text(PYTHON_2 + "torch.ones(2).cuda()\n")
    found = [f for r in check([root], known).files for f in r.findings]
    assert [(f.code, f.line) for f in found] == [("DFX201", 3)]
    (result,) = apply([root], known, dry_run=True).files
    assert [(x.finding.line, x.reason) for x in result.left] == [
        (3, "the file is Python 2, and converting it is not part of this run")
    ]
    assert result.change is None


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("", "", ()),
        ("a\nb\nc", "a\nb\nc", ()),
        ("a\nb\nc", "a\nx\nc", ((2, 2),)),
        ("a\nb\nc", "a\nc", ()),
        ("a\nc", "a\nb\nb\nc", ((2, 3),)),
        ("a\r\nb\n", "a\nb\n", ()),
        ("a\n\nb\n", "x\na\n\nb\ny\n", ((1, 1), (5, 5))),
        ("", "a\nb", ((1, 2),)),
    ],
)
def test_changed_lines(old: str, new: str, changed: Sequence[tuple[int, int]]) -> None:
    assert changed_lines(old, new) == changed


def test_a_policy_is_about_everything() -> None:
    assert Policy(frozenset(), False).scope == Scope()
