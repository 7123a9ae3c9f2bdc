"""Which trees and which program the user means."""

from __future__ import annotations

import sys
from pathlib import Path, PurePosixPath

import pytest

from devicefix.engine.journal import record, rewritten
from devicefix.verification import LaunchError
from devicefix.verification.targets import Target, find_target


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two states of a program, and nothing in the journal."""
    monkeypatch.setenv("DEVICEFIX_STATE_DIR", str(tmp_path / "state"))
    for tree in ("old", "new"):
        (tmp_path / tree / "sub").mkdir(parents=True)
        for name in ("p.py", "sub/q.py"):
            (tmp_path / tree / name).write_text(f"print('{tree}')\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def target(name: str, before: str | None = "old", after: str | None = "new") -> Target:
    trees = [Path(tree) if tree is not None else None for tree in (before, after)]
    return find_target(name, False, sys.executable, *trees)


def test_from_outside_names_are_those_in_the_trees(here: Path) -> None:
    found = target("sub/q.py")
    assert (found.before.root, found.after.root) == (here / "old", here / "new")
    assert (found.name, found.folder) == ("sub/q.py", PurePosixPath("."))


@pytest.mark.parametrize("name", ["new/sub/q.py", "./new/sub/q.py", "old/sub/q.py"])
def test_a_path_into_a_tree_means_the_same_in_both(here: Path, name: str) -> None:
    assert target(name).name == "./sub/q.py"
    assert target(str(here / name)).name == "./sub/q.py"


def test_from_inside_the_working_directory_is_kept(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(here / "new/sub")
    found = target("q.py", "../../old", "..")
    assert (found.name, found.folder) == ("q.py", PurePosixPath("sub"))
    assert target("../p.py", "../../old", "..").name == "../p.py"
    assert target(str(here / "old/p.py"), "../../old", "..").name == "./../p.py"


def test_one_tree_is_compared_with_the_current_folder(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(here / "new")
    found = target("p.py", "../old", None)
    assert (found.before.root, found.after.root) == (here / "old", here / "new")
    found = target("p.py", None, "../old")
    assert (found.before.root, found.after.root) == (here / "new", here / "old")


def test_without_trees_the_last_apply_counts(here: Path) -> None:
    path = here / "new/p.py"
    record([rewritten(str(path), b"print(1)\n", path.read_bytes(), ["DFX1"])])
    found = target("new/p.py", None, None)
    assert found.before.root == here
    assert found.before.overlay == {"new/p.py": b"print(1)\n"}
    assert (found.name, found.folder) == ("new/p.py", PurePosixPath("."))


def test_a_module_and_a_command_are_not_looked_for(here: Path) -> None:
    trees = (Path("old"), Path("new"))
    assert find_target("gone.x", True, sys.executable, *trees).name == "gone.x"
    assert find_target("python", False, sys.executable, *trees).name == "python"


def test_a_command_has_an_interpreter_of_its_own(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "tool").write_text(f"#!{sys.executable}\n")
    (here / "tool").chmod(0o755)
    monkeypatch.setenv("PATH", str(here))
    trees = (Path("old"), Path("new"))
    assert find_target("tool", False, "/other/python", *trees).python == sys.executable
    assert find_target("p.py", False, "/other/python", *trees).python == "/other/python"


@pytest.mark.parametrize(
    ("name", "before", "after", "said"),
    [
        ("p.py", "gone", "new", "gone: no such folder"),
        ("p.py", "old", "new/p.py", "new/p.py: not a folder"),
        ("p.py", "old", "state", "state: no such folder"),
        ("gone.py", "old", "new", "gone.py: no such file"),
        ("only.py", "old", "new", "the folders do not match: only.py: no such file in .*/old"),
        (
            "p.py",
            "old",
            "other",
            "the folders do not match: no file is in both .*/old and .*/other",
        ),
        ("/etc/passwd.py", "old", "new", "/etc/passwd.py is not in "),
        ("-", "old", "new", "a program on standard input cannot be verified"),
        (
            "p.py",
            None,
            None,
            "no `devicefix apply` has changed anything in .*; run it first, or",
        ),
    ],
)
def test_what_cannot_be_compared(
    here: Path, name: str, before: str | None, after: str | None, said: str
) -> None:
    (here / "new/only.py").touch()
    (here / "other").mkdir()
    (here / "other/x.py").touch()
    with pytest.raises(LaunchError, match=said):
        target(name, before, after)


def test_what_lies_outside_of_the_tree_we_are_in(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "x.py").touch()
    monkeypatch.chdir(here / "new")
    with pytest.raises(LaunchError, match=r"\.\./x\.py is not in .*/new or .*/old"):
        target("../x.py", "../old", ".")
