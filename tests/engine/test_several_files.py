"""Fixes that reach over several files of one program, with made-up rules."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from devicefix.codemod import Codemod, Context
from devicefix.engine import FileResult, JournalError, Report, apply, check, recover, undo, writing
from devicefix.engine.exchanging import exchange
from devicefix.engine.report import Outcome
from devicefix.engine.workbench import Workbench
from devicefix.findings import Applicability, Edit, Finding, Fix
from devicefix.flow.facts import FileFacts
from devicefix.settings import Settings
from devicefix.source import ModuleIndex, Program, Source

Make = Callable[..., type[Codemod]]
Swap = Callable[..., type[Codemod]]
Bench = Callable[..., Workbench]
Tree = Callable[[dict[str, str]], Path]

MAIN = "import torch\nfrom helper import make\nx = make()\n"
HELPER = "import torch\ndef make():\n    return torch.ones(3)\n"
TOGETHER = "cannot be analysed together with the rest of its program; each was analysed alone: "
SHARED = "{}/main.py, which shares a fix with it, could not be"
LONE = "import torch\nx = make()\n"
NEW_MAIN = MAIN.replace("make()", "make(2)")
NEW_HELPER = HELPER.replace("make()", "make(device)").replace("ones(3)", "ones(3, device)")


def insertion(source: Source, after: str, text: str) -> Edit:
    """``text`` behind the first ``after`` in ``source``."""
    at = source.text.index(after) + len(after)
    return Edit(at, at, 0, text, source.path)


def threading(helper: Source, signature: str) -> tuple[Edit, ...]:
    return insertion(helper, "def make(", signature), insertion(helper, "ones(3", ", device")


def thread(make_codemod: Make, *, shared: bool = False, signature: str = "device") -> type[Codemod]:
    """Threads a parameter from main.py into helper.py.

    One finding carries all edits; with ``shared``, there is one in each file.
    """

    def check_(self: Codemod, context: Context) -> Iterator[Finding]:
        source, sources = context.source, context.program.sources
        others = {Path(path).name: other for path, other in sources.items()}
        if shared and source.path.endswith("helper.py") and "make()" in source.text:
            yield found(self, context, "torch.ones", threading(source, signature))
        elif source.path.endswith("main.py") and "make()" in source.text:
            edits = (insertion(source, "= make(", "2"),)
            if not shared and "helper.py" in others:
                edits += threading(others["helper.py"], signature)
            yield found(self, context, "make()", edits)

    def found(self: Codemod, context: Context, word: str, edits: tuple[Edit, ...]) -> Finding:
        at = next(
            node
            for node in ast.walk(context.source.tree)
            if isinstance(node, ast.Call) and context.source.segment(node).startswith(word)
        )
        fix = Fix(edits, Applicability.SAFE, "thread", shared)
        return context.finding(self, at, "no device", fix)

    return make_codemod("DFX1", check_)


def program(files: Mapping[str, str], neighbours: Mapping[str, str] | None = None) -> Program:
    around = {p: Source.from_text(text, p) for p, text in (neighbours or {}).items()}
    sources = {path: Source.from_text(text, path) for path, text in files.items()}
    return Program(sources, ModuleIndex([*sources, *around]), around.get)


BOTH = {"helper.py": HELPER, "main.py": MAIN}


def texts(outcome: Outcome) -> dict[str, str]:
    return {
        result.path: result.change.after.decode() for result in outcome.results if result.change
    }


def reasons(outcome: Outcome) -> list[str]:
    return [f"{x.finding.path}: {x.reason}" for result in outcome.results for x in result.left]


@pytest.mark.parametrize("shared", [False, True])
def test_a_fix_changes_all_its_files(workbench: Bench, make_codemod: Make, shared: bool) -> None:
    bench = workbench(thread(make_codemod, shared=shared))
    for outcome in (bench.mend(program(BOTH)), bench.rehearse(program(BOTH))):
        assert texts(outcome) == {"main.py": NEW_MAIN, "helper.py": NEW_HELPER}
        assert outcome.errors == ()
        helper, main = outcome.results
        assert [f.line for f in main.applied] == [3]
        assert [f.line for f in helper.applied] == ([3] if shared else [])
        for result, partner in ((helper, "main.py"), (main, "helper.py")):
            assert result.change
            assert result.change.codes == {"DFX1"}
            assert result.change.partners == {partner}
    assert [len(r.findings) for r in bench.survey(program(BOTH)).results] == [shared, 1]


@pytest.mark.parametrize("shared", [False, True])
def test_what_breaks_one_file_is_dropped_in_all(
    workbench: Bench, make_codemod: Make, swap: Swap, shared: bool
) -> None:
    broken = thread(make_codemod, shared=shared, signature="device, device")
    files = {**BOTH, "third.py": "old = 1\n", "main.py": MAIN + "old = 2\n"}
    bench = workbench(broken, swap("DFX2", "old", "new"))
    outcome = bench.mend(program(files))
    assert texts(outcome) == {"third.py": "new = 1\n", "main.py": MAIN + "new = 2\n"}
    (error,) = outcome.errors
    assert "its fix was dropped: " in error.reason
    assert "duplicate argument 'device'" in error.reason
    assert ("helper.py" in error.reason) is not shared
    assert len(reasons(outcome)) == 1 + shared


def test_the_group_at_fault_is_found_among_many(workbench: Bench, swap: Swap) -> None:
    names = "abcdefg"
    files = {f"{name}.py": f"{name} = {name}{name} = 1\n" for name in names}
    bench = workbench(
        *(swap(f"DFX{i}", name, name.upper()) for i, name in enumerate(names, 1)),
        swap("DFX8", "dd", "4d"),
        swap("DFX9", "ff", "6f"),
    )
    outcome = bench.mend(program(files))
    assert texts(outcome) == {
        f"{name}.py": f"{name.upper()} = {name}{name} = 1\n" for name in names
    }
    assert [(error.path, error.reason[:4]) for error in outcome.errors] == [
        ("d.py", "DFX8"),
        ("f.py", "DFX9"),
    ]


def test_a_group_of_one_file_is_not_that_of_another(workbench: Bench, swap: Swap) -> None:
    bench = workbench(swap("DFX1", "old", "1new", group="g"), swap("DFX2", "ok", "fine", group="g"))
    outcome = bench.mend(program({"a.py": "old = 1\n", "b.py": "ok = 1\n"}))
    assert texts(outcome) == {"b.py": "fine = 1\n"}


def test_the_same_edit_in_two_files_is_made_twice(workbench: Bench, make_codemod: Make) -> None:
    def check_(self: Codemod, context: Context) -> Iterator[Finding]:
        if "import os" not in context.source.text:
            fix = Fix((Edit(0, 0, 0, "import os\n"),), Applicability.SAFE, "g", shared=True)
            yield context.finding(self, context.source.tree.body[0], "no os", fix)

    outcome = workbench(make_codemod("DFX1", check_)).mend(program({"a.py": "1\n", "b.py": "2\n"}))
    assert texts(outcome) == {"a.py": "import os\n1\n", "b.py": "import os\n2\n"}


@pytest.mark.parametrize(
    ("files", "neighbours", "reason"),
    [
        ({}, BOTH, "also needs an edit in helper.py, which is not part of this run"),
        (
            {"helper.py": HELPER + "# devicefix: skip-file\n"},
            {},
            "also needs an edit in helper.py, which is not part of this run",
        ),
        (
            {"helper.py": HELPER.replace("3)", "3)  # devicefix: ignore[DFX1]")},
            {},
            "also needs an edit in helper.py:3, where DFX1 is suppressed",
        ),
    ],
)
def test_a_fix_that_may_not_reach_a_file_is_left(
    workbench: Bench,
    make_codemod: Make,
    swap: Swap,
    files: dict[str, str],
    neighbours: dict[str, str],
    reason: str,
) -> None:
    def check_(self: Codemod, context: Context) -> Iterator[Finding]:
        if context.source.path == "main.py":
            call = context.source.tree.body[2]
            edits = threading(Source.from_text(HELPER, "helper.py"), "device")
            fix = Fix((Edit(0, 0, 0, "\n"), *edits[1:]), Applicability.SAFE, "g")
            yield context.finding(self, call, "no device", fix)

    bench = workbench(make_codemod("DFX1", check_), swap("DFX2", "x", "y"))
    look = program({**files, "main.py": MAIN}, neighbours)
    for outcome in (bench.mend(look), bench.rehearse(look)):
        assert texts(outcome) == {"main.py": MAIN.replace("x =", "y =")}
        assert reasons(outcome) == [f"main.py: {reason}"]
    assert reasons(bench.survey(look)) == [f"main.py: {reason}"]


def test_a_suppressed_member_in_another_file_holds_the_group_back(
    workbench: Bench, make_codemod: Make
) -> None:
    files = {"helper.py": HELPER.replace("3)", "3)  # devicefix: ignore"), "main.py": MAIN}
    outcome = workbench(thread(make_codemod, shared=True)).mend(program(files))
    assert texts(outcome) == {}
    reason = "main.py: also needs DFX1, which is suppressed on helper.py:3"
    assert reasons(outcome) == [reason]


def test_edits_that_name_a_text_of_the_past_are_left_out(
    workbench: Bench, make_codemod: Make, swap: Swap
) -> None:
    def check_(self: Codemod, context: Context) -> Iterator[Finding]:
        other = next((s for p, s in context.program.sources.items() if p == "b.py"), None)
        if other is not None and "new" in other.text and "done" not in other.text:
            fix = Fix((Edit(0, 3, 0, "done", "b.py"),), Applicability.SAFE, "g")
            if context.source.path == "a.py":
                yield context.finding(self, context.source.tree.body[0], "later", fix)

    bench = workbench(make_codemod("DFX1", check_), swap("DFX2", "old", "new"))
    a, b = bench.rehearse(program({"a.py": "1\n", "b.py": "old = 1\n"})).results
    assert [f.fix and f.fix.edits for f in a.applied] == [()]
    assert b.change
    assert b.change.after == b"done = 1\n"


def test_a_program_settles_as_a_whole(workbench: Bench, make_codemod: Make, swap: Swap) -> None:
    def check_(self: Codemod, context: Context) -> Iterator[Finding]:
        if context.source.path == "main.py":
            helper = context.program.sources["helper.py"]
            fix = Fix((Edit(0, 0, 0, "1\n", helper.path),), Applicability.SAFE, "g")
            yield context.finding(self, context.source.tree.body[0], "never content", fix)

    bench = workbench(make_codemod("DFX1", check_), swap("DFX2", "x", "y"))
    outcome = bench.mend(program(BOTH))
    assert texts(outcome) == {"main.py": MAIN.replace("x =", "y =")}
    assert [str(e) for e in outcome.errors] == ["main.py:1: error: DFX1: its fix does not converge"]


# -- on the disk -----------------------------------------------------------------------------------


@pytest.fixture
def run(make_codemod: Make, no_facts: Callable[[Program], Any]) -> Callable[..., Report]:
    def go(*paths: Path, **options: Any) -> Report:
        codemods = options.pop("codemods", [thread(make_codemod)])
        analyse = options.pop("analyse", no_facts)
        return apply(paths, Settings(), codemods=codemods, analyse=analyse, **options)

    return go


Run = Callable[..., Report]


def state_of(root: Path) -> list[str]:
    return [(root / name).read_text() for name in ("main.py", "helper.py")]


def test_is_written_and_undone_as_a_whole(tree: Tree, run: Run, state: Path) -> None:
    root = tree({**BOTH, "other.py": HELPER})
    report = run(root)
    assert [Path(result.path).name for result, _ in report.changes] == ["helper.py", "main.py"]
    assert state_of(root) == [NEW_MAIN, NEW_HELPER]
    (entry,) = (state / "journal").iterdir()
    assert {tuple(f["codes"]) for f in json.loads(entry.read_text())["files"]} == {("DFX1",)}
    assert sorted(undo([root / "helper.py"]).restored) == sorted(
        [str(root / "helper.py"), str(root / "main.py")]
    )
    assert state_of(root) == [MAIN, HELPER]
    with pytest.raises(JournalError):
        undo()


def test_is_not_undone_where_one_file_has_changed_since(tree: Tree, run: Run) -> None:
    root = tree(BOTH)
    run(root)
    (root / "main.py").write_text("theirs\n")
    report = undo()
    assert report.restored == ()
    assert [str(error) for error in report.errors] == [
        f"{root}/helper.py: error: not restored: {SHARED.format(root)}",
        f"{root}/main.py: error: not restored: it was changed in the meantime",
    ]
    assert state_of(root) == ["theirs\n", NEW_HELPER]


def test_is_not_written_where_one_file_changes_meanwhile(tree: Tree, run: Run) -> None:
    root = tree({**BOTH, "alone/main.py": LONE})

    def meddle(files: Any) -> Any:
        yield from files
        (root / "main.py").write_text("theirs\n")

    report = run(root, progress=meddle)
    assert state_of(root) == ["theirs\n", HELPER]
    assert (root / "alone/main.py").read_text() == LONE.replace("()", "(2)")
    assert [Path(result.path) for result in report.files] == [root / "alone/main.py"]
    assert [str(error) for error in report.errors] == [
        f"{root}/helper.py: error: not written: {SHARED.format(root)}",
        f"{root}/main.py: error: not written: it was changed in the meantime",
    ]
    assert undo().restored == (str(root / "alone/main.py"),)


@pytest.mark.parametrize("goes_back", [False, True], ids=["apply", "undo"])
def test_what_could_not_be_taken_back_is_by_the_next_run(
    tree: Tree, run: Run, monkeypatch: pytest.MonkeyPatch, goes_back: bool
) -> None:
    """Of two files the first is replaced; then the disk fails twice."""
    root = tree(BOTH)
    if goes_back:
        run(root)
    works = iter([True, False, False])

    def failing(new: Path, target: Path) -> bool:
        if not next(works):
            raise OSError(5, "Input/output error")
        return exchange(new, target)

    with monkeypatch.context() as patch:
        patch.setattr(writing, "exchange", failing)
        (error,) = undo().errors if goes_back else run(root).errors
    assert str(root / "helper.py") in error.reason
    assert state_of(root) == ([NEW_MAIN, HELPER] if goes_back else [MAIN, NEW_HELPER])
    assert recover([root / "elsewhere"]).restored == ()
    assert recover([root]).restored == (str(root / ("main.py" if goes_back else "helper.py")),)
    assert state_of(root) == [MAIN, HELPER]
    assert recover([root]).restored == ()


def test_a_file_that_does_not_parse_is_named_and_the_rest_is_done(tree: Tree, run: Run) -> None:
    files = {"main.py": MAIN + "import broken, odd\n", "broken.py": "import torch\nx = = 1\n"}
    root = tree(
        {"helper.py": HELPER, **files, "odd.py": "import main\nprint 'no business of ours'\n"}
    )
    report = run(root)
    assert [str(e).partition(": syntax")[0] for e in report.errors] == [
        f"{root}/broken.py:2: error"
    ]
    assert (root / "helper.py").read_text() == NEW_HELPER


def test_where_the_whole_cannot_be_analysed_its_files_are(
    tree: Tree, run: Run, swap: Swap, no_facts: Callable[[Program], Any]
) -> None:
    def analyse(look: Program) -> Any:
        if len(look.sources) > 1:
            raise KeyError("several")
        return no_facts(look)

    root = tree(BOTH)
    report = run(root, analyse=analyse, codemods=[swap("DFX1", "x", "y")])
    assert state_of(root) == [MAIN.replace("x =", "y ="), HELPER]
    (error,) = report.errors
    assert error.reason.startswith(
        TOGETHER + "internal error, please report it: KeyError: 'several'"
    )


def test_a_bug_in_one_file_costs_only_what_the_files_have_in_common(
    tree: Tree, run: Run, swap: Swap, make_codemod: Make
) -> None:
    def check_(self: Codemod, context: Context) -> Iterator[Finding]:
        if "def make" in context.source.text:
            raise RecursionError
        yield from ()

    root = tree(BOTH)
    codemods = [swap("DFX1", "x", "y"), swap("DFX3", "torch", "t"), make_codemod("DFX2", check_)]
    report = run(root, codemods=codemods[::2])
    assert state_of(root) == [MAIN.replace("x =", "y ="), HELPER]
    assert [(Path(e.path).name, e.reason) for e in report.errors] == [
        ("helper.py", TOGETHER + "nested too deeply to be analysed"),
        ("helper.py", "nested too deeply to be analysed"),
    ]


def test_files_without_facts_get_no_findings(tree: Tree, run: Run, swap: Swap) -> None:
    root = tree(BOTH)
    only = str(root / "main.py")
    report = run(root, analyse=lambda _: {only: FileFacts()}, codemods=[swap("DFX1", "torch", "t")])
    assert report.files == ()
    report = run(root, analyse=lambda _: {only: FileFacts()}, codemods=[swap("DFX1", "x", "y")])
    assert [result.path for result in report.files] == [only]


def test_given_alone_a_file_is_not_changed_for_another(
    tree: Tree, make_codemod: Make, no_facts: Callable[[Program], Any]
) -> None:
    seen: list[tuple[list[str], str | None]] = []

    def analyse(look: Program) -> Any:
        (path,) = look.sources
        seen.append(([Path(path).name], look.modules.find(path, "helper")))
        return no_facts(look)

    root = tree(BOTH)
    codemods = [thread(make_codemod)]
    report = check([root / "main.py"], Settings(), codemods=codemods, analyse=analyse)
    assert seen
    assert all(look == (["main.py"], str(root / "helper.py")) for look in seen)
    assert report.checked == 1
    assert isinstance(report.files[0], FileResult)


# -- with the installed rules ----------------------------------------------------------------------

TRAIN = {
    "main.py": """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from steps import train

net = nn.Linear(3, 1)
data = TensorDataset(torch.rand(8, 3), torch.rand(8, 1))
train(net, DataLoader(data, batch_size=4))
""",
    "steps.py": """\
import torch.nn.functional as F


def train(net, loader):
    for x, y in loader:
        loss = F.mse_loss(net(x), y)
        loss.backward()
""",
}


def test_the_model_and_its_batches_are_one_decision(tree: Tree) -> None:
    report = apply([tree(TRAIN)], Settings(), dry_run=True)
    assert [Path(result.path).name for result, _ in report.changes] == ["main.py", "steps.py"]
    groups = {f.fix.group for result in report.files for f in result.findings if f.fix}
    assert len(groups) == 1
    text = TRAIN["steps.py"].replace("in loader:", "in loader:  # devicefix: ignore")
    report = apply([tree({**TRAIN, "steps.py": text})], Settings(), dry_run=True)
    assert report.changes == ()
    assert ["suppressed" in x.reason for result in report.files for x in result.left] == [True]


def test_a_cast_is_not_written_where_another_file_makes_the_value(tree: Tree) -> None:
    files = {
        "main.py": "import torch\nfrom rows import rows\nprint(torch.nn.Linear(3, 1)(rows()))\n",
        "rows.py": "import numpy\nimport torch\n# far\n# below the end of the other file\n"
        "def rows():\n    return torch.from_numpy(numpy.ones((2, 3)))\n",
    }
    report = apply([tree(files)], Settings(select=("DFX301",)), dry_run=True)
    assert report.errors == ()
    ((result, change),) = report.changes
    assert Path(result.path).name == "main.py"
    assert b"(rows().float())" in change.after


PACKAGE = {
    "nets/__init__.py": """\
from .Base import Base
from .deep import Deep


def setup(name):
    return Deep() if name == "deep" else Base()
""",
    "nets/Base.py": """\
from torch import nn
from . import sizes


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(sizes.INPUT, 1)
""",
    "nets/deep.py": "from .Base import Base\n\n\nclass Deep(Base):\n    pass\n",
    "nets/sizes.py": "INPUT = 3\n",
    "train.py": "import sys\nimport nets\n\nnet = nets.setup(sys.argv[1]).cuda()\nprint(net)\n",
}


def test_a_package_is_run_before_its_files(tree: Tree) -> None:
    # nets/Base.py comes first: it would be in the middle of its imports when the package wants Base
    report = apply([tree(PACKAGE)], Settings(), dry_run=True)
    ((result, change),) = report.changes
    assert Path(result.path).name == "train.py"
    assert b"nets.setup(sys.argv[1]).to(device)" in change.after
