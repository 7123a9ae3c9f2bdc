"""Groups by name: leaving some out, trusting some, and the lines that each wrote."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from devicefix.codemod import Codemod, Context
from devicefix.engine import AppliedGroup, Choice, Report, apply, check, commit, rehearsal, undo
from devicefix.engine import work as work_module
from devicefix.findings import Applicability, Edit, Finding, Fix
from devicefix.settings import Settings
from devicefix.source import Program

Tree = Callable[[dict[str, str]], Path]
Swap = Callable[..., type[Codemod]]
Make = Callable[..., type[Codemod]]
NoFacts = Callable[[Program], Any]
Rehearse = Callable[..., Report]
TEXT = "import torch\none = 1\ntwo = 2\nthree = 3\n"


@pytest.fixture
def rules(swap: Swap) -> list[type[Codemod]]:
    unsafe = Applicability.UNSAFE
    return [
        swap("DFX1", "one", "eins"),
        swap("DFX2", "two", "zwei", unsafe, advice="look twice"),
        swap("DFX3", "three", "drei", unsafe),
        swap("DFX4", "eins", "un"),  # in the round after
    ]


@pytest.fixture
def rehearse(no_facts: NoFacts) -> Rehearse:
    def go(root: Path, rules: list[type[Codemod]], **choice: Any) -> Report:
        trial = rehearsal([root], Settings(), codemods=rules, analyse=no_facts)
        return trial.report(Choice(**choice))

    return go


def text(report: Report) -> str:
    ((_, change),) = report.changes
    return change.after.decode()


def names(groups: tuple[AppliedGroup, ...]) -> list[str]:
    return [" ".join(group.codes) for group in groups]


def named(report: Report, code: str) -> AppliedGroup:
    return next(group for group in report.groups if group.codes == (code,))


def test_the_report_names_what_was_applied(
    tree: Tree, rehearse: Rehearse, rules: list[type[Codemod]]
) -> None:
    report = rehearse(tree({"a.py": TEXT}), rules, trusts_all=True)
    assert names(report.groups) == ["DFX1", "DFX2", "DFX3", "DFX4"]
    two = named(report, "DFX2")
    assert (two.applicability, two.reason) == (Applicability.UNSAFE, "look twice")
    assert [f.line for f in two.findings] == [3]
    assert named(report, "DFX1").reason == ""


def test_a_check_applies_nothing(tree: Tree, no_facts: NoFacts, swap: Swap) -> None:
    root = tree({"a.py": TEXT})
    rules = [swap("DFX1", "one", "eins")]
    assert check([root], Settings(), codemods=rules, analyse=no_facts).groups == ()


def test_what_is_left_out_is_left_with_the_reason(
    tree: Tree, rehearse: Rehearse, rules: list[type[Codemod]]
) -> None:
    root = tree({"a.py": TEXT})
    first = named(rehearse(root, rules), "DFX1").identity
    report = rehearse(root, rules, without=frozenset({first}), why="left out: it is guilty")
    assert (report.groups, report.changes) == ((), ())
    assert report.errors == ()
    left = {x.finding.code: x.reason for x in report.files[0].left}
    assert left["DFX1"] == "left out: it is guilty"


def test_a_group_of_a_later_round_is_left_out_alone(
    tree: Tree, rehearse: Rehearse, swap: Swap
) -> None:
    rules = [swap("DFX1", "one", "eins"), swap("DFX4", "eins", "un")]
    root = tree({"a.py": TEXT})
    later = named(rehearse(root, rules), "DFX4").identity
    report = rehearse(root, rules, without=frozenset({later}))
    assert names(report.groups) == ["DFX1"]
    assert "eins = 1" in text(report)


def test_those_that_are_trusted_are_made_though_unsafe(
    tree: Tree, rehearse: Rehearse, rules: list[type[Codemod]]
) -> None:
    root = tree({"a.py": TEXT})
    every = rehearse(root, rules, trusts_all=True)
    report = rehearse(root, rules, trusted=frozenset({named(every, "DFX2").identity}))
    assert names(report.groups) == ["DFX1", "DFX2", "DFX4"]
    assert text(report) == "import torch\nun = 1\nzwei = 2\nthree = 3\n"
    assert [x.finding.code for x in report.files[0].left] == ["DFX3"]


def test_a_name_holds_between_choices(
    tree: Tree, rehearse: Rehearse, rules: list[type[Codemod]]
) -> None:
    root = tree({"a.py": "import torch\n" + "one = 1\n" * 3})
    whole = rehearse(root, rules)
    firsts = [group for group in whole.groups if group.codes == ("DFX1",)]
    report = rehearse(root, rules, without=frozenset({firsts[0].identity}))
    kept = [group.identity for group in report.groups if group.codes == ("DFX1",)]
    assert kept == [group.identity for group in firsts[1:]]
    assert text(report) == "import torch\none = 1\n" + "un = 1\n" * 2


def test_only_the_programs_concerned_are_worked_on_again(
    tree: Tree, no_facts: NoFacts, swap: Swap, monkeypatch: pytest.MonkeyPatch
) -> None:
    worked: list[str] = []
    original = work_module.one_program

    def one_program(plan: Any, *rest: Any) -> Any:
        worked.extend(Path(path).name for path in plan.paths)
        return original(plan, *rest)

    monkeypatch.setattr(work_module, "one_program", one_program)
    root = tree({"a.py": TEXT, "b.py": TEXT})
    rules = [swap("DFX1", "one", "eins")]
    trial = rehearsal([root], Settings(), codemods=rules, analyse=no_facts)
    whole = trial.report()
    chosen = trial.report(Choice(without=frozenset({whole.groups[1].identity})))
    assert worked == ["a.py", "b.py", "b.py"]
    assert [Path(result.path).name for result, _ in chosen.changes] == ["a.py"]
    assert trial.report().groups == whole.groups
    assert trial.report(Choice(trusts_all=True)).groups == whole.groups  # nothing is unsafe
    assert worked == ["a.py", "b.py", "b.py"]


def test_what_was_rehearsed_is_written_and_undone(
    tree: Tree, no_facts: NoFacts, swap: Swap
) -> None:
    root = tree({"a.py": TEXT})
    rules = [swap("DFX1", "one", "eins"), swap("DFX2", "two", "zwei")]
    trial = rehearsal([root], Settings(), codemods=rules, analyse=no_facts)
    report = trial.report(Choice(without=frozenset({named(trial.report(), "DFX1").identity})))
    assert (root / "a.py").read_text() == TEXT
    assert commit(report).errors == ()
    assert (root / "a.py").read_text() == text(report) == TEXT.replace("two", "zwei")
    undo()
    assert (root / "a.py").read_text() == TEXT


def test_apply_takes_a_choice(tree: Tree, no_facts: NoFacts, swap: Swap) -> None:
    root = tree({"a.py": TEXT})
    rules = [swap("DFX2", "two", "zwei", Applicability.UNSAFE)]
    report = apply(
        [root], Settings(), codemods=rules, analyse=no_facts, choice=Choice(trusts_all=True)
    )
    assert (root / "a.py").read_text() == text(report) == TEXT.replace("two", "zwei")


# -- lines ------------------------------------------------------------------------------------


def rewriting(make_codemod: Make, code: str, *edits: tuple[str, str], once: str) -> type[Codemod]:
    """One group that replaces each first text by the second, where the file holds ``once``."""

    def check_(self: Codemod, context: Context) -> Iterator[Finding]:
        text = context.source.text
        if once in text:
            made = tuple(
                Edit(text.index(old), text.index(old) + len(old), 0, new) for old, new in edits
            )
            fix = Fix(made, Applicability.SAFE, code)
            yield context.finding(self, context.source.tree.body[0], "here", fix)

    return make_codemod(code, check_)


def lines_of(report: Report, code: str) -> list[int]:
    (found,) = named(report, code).lines.values()
    return sorted(found)


def test_lines_are_those_of_the_new_text(
    tree: Tree, rehearse: Rehearse, make_codemod: Make
) -> None:
    root = tree({"a.py": "import torch\na = 1\nb = 2\nc = 3\n"})
    rules = [
        rewriting(
            make_codemod, "DFX1", ("b = 2", "b = 20"), ("c = 3", "c = (\n3)"), once="b = 2\n"
        ),
        rewriting(make_codemod, "DFX2", ("a = 1\n", "a = 1\nx = 5\ny = 6\n"), once="a = 1\nb = 20"),
        rewriting(
            make_codemod, "DFX3", ("import torch", "import torch\n\nz = 0"), once="torch\na = 1\nx"
        ),
    ]
    report = rehearse(root, rules)
    assert text(report) == "import torch\n\nz = 0\na = 1\nx = 5\ny = 6\nb = 20\nc = (\n3)\n"
    assert lines_of(report, "DFX1") == [7, 8, 9]
    assert lines_of(report, "DFX2") == [4, 5, 6]
    assert lines_of(report, "DFX3") == [1, 2, 3]


def test_an_insertion_is_not_the_line_that_it_starts_on(
    tree: Tree, rehearse: Rehearse, make_codemod: Make
) -> None:
    root = tree({"a.py": "import torch\na = 1\nb = 2\n"})

    def check_(self: Codemod, context: Context) -> Iterator[Finding]:
        text = context.source.text
        if "x" not in text:
            at = text.index("\nb")
            fix = Fix((Edit(at, at, 0, "\nx = 0"),), Applicability.SAFE, "g")
            yield context.finding(self, context.source.tree.body[0], "here", fix)

    report = rehearse(root, [make_codemod("DFX1", check_)])
    assert text(report) == "import torch\na = 1\nx = 0\nb = 2\n"
    assert lines_of(report, "DFX1") == [3]


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ("b = 2\n", "", [2, 3]),  # a line that went: those around it
        (" + 0", "", [4]),  # a piece of one
    ],
)
def test_what_was_taken_out_counts_where_it_was(
    tree: Tree, rehearse: Rehearse, make_codemod: Make, old: str, new: str, lines: list[int]
) -> None:
    root = tree({"a.py": "import torch\na = 1\nb = 2\nc = 3 + 0\n"})
    report = rehearse(root, [rewriting(make_codemod, "DFX1", (old, new), once=old)])
    assert lines_of(report, "DFX1") == lines


def test_lines_agree_with_the_text_whatever_else_is_made(
    tree: Tree, rehearse: Rehearse, make_codemod: Make
) -> None:
    """Groups that mark the lines they write, over several rounds."""

    def marking(code: str, before: str, lines: int) -> type[Codemod]:
        def check_(self: Codemod, context: Context) -> Iterator[Finding]:
            for node in ast.walk(context.source.tree):
                here = isinstance(node, ast.Name) and node.id == before
                if here and f"{code}_0" not in context.source.text:
                    at = context.source.line_start(context.source.span(node).start)
                    new = "".join(f"{code}_{n} = 0\n" for n in range(lines))
                    fix = Fix((Edit(at, at, 0, new),), Applicability.SAFE, code)
                    yield context.finding(self, node, "here", fix)

        return make_codemod(code, check_)

    root = tree({"a.py": "import torch\na = 1\nb = 2\nc = 3\n"})
    marked = ("a", "DFX1_0", "b", "DFX2_1", "a", "DFX4_0")
    rules = [marking(f"DFX{n}", before, n) for n, before in enumerate(marked, 1)]
    report = rehearse(root, rules)
    new = text(report).splitlines()
    assert len(report.groups) == len(marked)
    for number in range(1, len(marked) + 1):
        where = [n for n, line in enumerate(new, 1) if line.startswith(f"DFX{number}_")]
        found = lines_of(report, f"DFX{number}")
        assert (found[0], found[-1]) == (where[0], where[-1])
        assert set(where) <= set(found)
