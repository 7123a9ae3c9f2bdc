from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from devicefix.codemod import Codemod, Context
from devicefix.engine import JournalError, Report, UnknownRuleError, apply, check, undo
from devicefix.engine import runner as runner_module
from devicefix.findings import Finding
from devicefix.settings import Settings
from devicefix.source import Program

Tree = Callable[[dict[str, str]], Path]
Swap = Callable[..., type[Codemod]]
Apply = Callable[..., Report]
OLD = "import torch\nold = torch\n"
NEW = "import torch\nnew = torch\n"


@pytest.fixture
def run(swap: Swap, no_facts: Callable[[Program], Any]) -> Apply:
    def go(root: Path, dry_run: bool = False, **options: Any) -> Report:
        codemods = options.pop("codemods", [swap("DFX1", "old", "new")])
        settings = Settings(**options)
        return apply([root], settings, dry_run, codemods=codemods, analyse=no_facts)

    return go


def test_applies_to_all_files_and_undoes(tree: Tree, run: Apply) -> None:
    root = tree({"a.py": OLD, "sub/b.py": OLD, "c.py": "old = 1\n"})
    report = run(root)
    assert [Path(result.path).name for result, _ in report.changes] == ["a.py", "b.py"]
    assert (report.checked, report.errors) == (3, ())
    assert (root / "a.py").read_text() == (root / "sub/b.py").read_text() == NEW
    assert (root / "c.py").read_text() == "old = 1\n"
    assert run(root).files == ()
    assert len(undo().restored) == 2
    assert (root / "a.py").read_text() == (root / "sub/b.py").read_text() == OLD


def test_a_dry_run_writes_nothing(tree: Tree, run: Apply, state: Path) -> None:
    root = tree({"a.py": OLD})
    report = run(root, dry_run=True)
    ((_, change),) = report.changes
    assert (change.before, change.after) == (OLD.encode(), NEW.encode())
    assert (root / "a.py").read_text() == OLD
    assert not state.exists()


BAD: dict[str, tuple[bytes, int | None, str]] = {
    "syntax.py": (b"import torch\nx = = 1\n", 2, "syntax"),
    "python2.py": (b"import torch\nprint 'x'\n", 2, "Python 2"),
    "null.py": (b"import torch\nx = '\0'\n", 2, "null byte"),
    "encoding.py": (b"# coding: klingon\nimport torch\n", 1, "klingon"),
    "undecodable.py": (b"import torch\n# \xff\n", 2, ""),
    "huge.py": (b"import torch\n" + b"x = 1\n" * 1_700_000, None, "10.2 MB"),
    "deep.py": (b"import torch\nx = " + b"-" * 100_000 + b"1\n", None, "nested"),
}


def test_bad_files_are_named_and_the_rest_is_done(tree: Tree, run: Apply) -> None:
    root = tree({"good.py": OLD, "empty.py": "", "link.py": ""})
    for name, (data, _, _) in BAD.items():
        (root / name).write_bytes(data)
    (root / "link.py").unlink()
    (root / "link.py").symlink_to("link.py")
    report = run(root)
    assert (root / "good.py").read_text() == NEW
    errors = {Path(error.path).name: error for error in report.errors}
    assert sorted(errors) == sorted([*BAD, "link.py"])
    for name, (data, line, reason) in BAD.items():
        assert reason in errors[name].reason, name
        assert errors[name].line in (line, line and 1) if name == "encoding.py" else True
        assert (root / name).read_bytes() == data


def test_a_bug_in_a_codemod_stops_its_file_only(
    tree: Tree, run: Apply, swap: Swap, make_codemod: Callable[..., type[Codemod]]
) -> None:
    def check_(self: Codemod, context: Context) -> Iterator[Finding]:
        if "trap" in context.source.text:
            raise KeyError("trap")
        yield from ()

    root = tree({"a.py": OLD + "trap\n", "b.py": OLD})
    report = run(root, codemods=[swap("DFX1", "old", "new"), make_codemod("DFX2", check_)])
    assert (root / "a.py").read_text() == OLD + "trap\n"
    assert (root / "b.py").read_text() == NEW
    (error,) = report.errors
    assert error.path == str(root / "a.py")
    assert "internal error, please report it: KeyError: 'trap' (" in error.reason
    assert "test_runner.py" in error.reason


@pytest.mark.parametrize(
    ("raised", "reason"), [(RecursionError(), "nested too deeply"), (MemoryError(), "in memory")]
)
def test_limits_are_named(
    tree: Tree,
    run: Apply,
    make_codemod: Callable[..., type[Codemod]],
    raised: Exception,
    reason: str,
) -> None:
    def check_(self: Codemod, context: Context) -> Iterator[Finding]:
        raise raised
        yield

    report = run(tree({"a.py": OLD}), codemods=[make_codemod("DFX1", check_)])
    assert reason in report.errors[0].reason


def test_a_file_that_changes_before_it_is_written_is_left(
    tree: Tree, swap: Swap, no_facts: Callable[[Program], Any]
) -> None:
    root = tree({"a.py": OLD, "b.py": OLD})

    def meddle(files: Sequence[Path]) -> Iterable[Path]:
        yield from files
        (root / "a.py").write_text("theirs\n")

    codemods = [swap("DFX1", "old", "new")]
    report = apply([root], Settings(), progress=meddle, codemods=codemods, analyse=no_facts)
    assert (root / "a.py").read_text() == "theirs\n"
    assert (root / "b.py").read_text() == NEW
    assert [str(e) for e in report.errors] == [
        f"{root}/a.py: error: not written: it was changed in the meantime"
    ]
    assert undo().restored == (str(root / "b.py"),)


def test_without_a_journal_nothing_is_written(tree: Tree, run: Apply, state: Path) -> None:
    root = tree({"a.py": OLD})
    state.write_text("a file in the way")
    with pytest.raises(JournalError, match="cannot write the journal"):
        run(root)
    assert (root / "a.py").read_text() == OLD


def test_unknown_rules_are_an_error_even_without_files(tree: Tree, run: Apply) -> None:
    root = tree({"a.py": "x = 1\n"})
    with pytest.raises(UnknownRuleError):
        run(root, select=("DFX9",))


def test_without_torch_no_codemod_is_loaded(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("loaded")

    monkeypatch.setattr(runner_module.Tools, "bench", fail)
    assert check([tree({"a.py": "x = 1\n"})], Settings()).checked == 1


def test_mode_bits_and_links_survive(tree: Tree, run: Apply) -> None:
    root = tree({"tool": OLD})
    (root / "tool").chmod(0o755)
    (root / "tool.py").symlink_to("tool")
    run(root)
    assert (root / "tool.py").is_symlink()
    assert (root / "tool").read_text() == NEW
    assert os.access(root / "tool", os.X_OK)
    assert sorted(p.name for p in root.iterdir()) == ["tool", "tool.py"]
