"""`--since REV`: only decisions with a finding on a line that has changed."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.notebooks import code, notebook
from tests.repository import commit_all, git, needs_git

pytestmark = needs_git

Devicefix = Callable[..., Any]
OLD = "import torch\nold = torch\n"


@pytest.fixture
def project(devicefix: Devicefix) -> Path:
    """The current folder: a repository with a few files, all committed."""
    for name in ("a.py", "b.py", "pkg/c.py"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(OLD)
    commit_all(Path())
    return Path()


def found(output: str) -> list[str]:
    return re.findall(r"^(\S+:\d+):\d+ TST", output, re.MULTILINE)


def test_lines_that_changed(devicefix: Devicefix, project: Path) -> None:
    run = devicefix("check", "--since", "HEAD", ".")
    assert (run.status, run.out) == (0, "Nothing found in 3 files.\n")
    Path("a.py").write_text("import torch\nold = 1\nold = torch\n")
    Path("b.py").write_text("import torch\n\n\n# moved\nold = torch\n")
    Path("pkg/c.py").unlink()
    run = devicefix("check", "--since", "HEAD", ".")
    assert (run.status, found(run.out)) == (1, ["a.py:2"])
    assert devicefix("apply", "--since", "HEAD", "--check", ".").status == 1
    git(project, "tag", "older")
    Path("pkg/c.py").write_text("import torch\n")
    git(project, "commit", "-q", "-m", "c", "pkg/c.py")
    assert devicefix("apply", "--since", "older", ".").status == 2  # its own and others' changes
    assert devicefix("apply", "--since", "HEAD", ".").status == 0
    assert Path("a.py").read_text() == "import torch\nnew = 1\nold = torch\n"
    assert Path("b.py").read_text().endswith("old = torch\n")


def test_in_the_index_in_commits_and_since_the_branch_left(
    devicefix: Devicefix, project: Path
) -> None:
    git(project, "checkout", "-q", "-b", "topic")
    Path("a.py").write_text(OLD + "print(old, 1)\n")
    commit_all(project)
    Path("b.py").write_text(OLD + "print(old, 2)\n")
    git(project, "add", "b.py")
    assert found(devicefix("check", "--since", "main", ".").out) == ["a.py:3", "b.py:3"]
    assert found(devicefix("check", "--since", "HEAD", ".").out) == ["b.py:3"]
    git(project, "stash", "-q")
    git(project, "checkout", "-q", "main")
    Path("pkg/c.py").write_text("import torch\n")
    commit_all(project)
    git(project, "checkout", "-q", "topic")
    assert found(devicefix("check", "--since", "main", ".").out) == ["a.py:3", "pkg/c.py:2"]
    assert found(devicefix("check", "--since", "main...", ".").out) == ["a.py:3"]


def test_files_that_git_does_not_know_have_changed(devicefix: Devicefix, project: Path) -> None:
    Path(".gitignore").write_text("out.py\n")
    for name in ("new.py", "added.py", "out.py", "\u00e9 \n.py"):
        Path(name).write_text(OLD)
    git(project, "add", "added.py")
    run = devicefix("check", "--since", "HEAD", ".", "out.py")
    assert re.findall(r"^(\S.*):2:1 TST", run.out, re.M) == [
        "added.py",
        "new.py",
        "out.py",
        "\u00e9 \\n.py",
    ]


def test_a_file_with_another_name_is_the_same(devicefix: Devicefix, project: Path) -> None:
    long = OLD + "".join(f"x{n} = {n}\n" for n in range(20))
    Path("a.py").write_text(long)
    commit_all(project)
    git(project, "mv", "a.py", "pkg/moved.py")
    Path("pkg/moved.py").write_text(long + "print(old)\n")
    assert found(devicefix("check", "--since", "HEAD", ".").out) == ["pkg/moved.py:23"]


def test_below_the_root_and_out_of_it(
    devicefix: Devicefix, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("pkg/c.py").write_text(OLD + "print(old)\n")
    Path("a.py").write_text(OLD + "print(old)\n")
    monkeypatch.chdir("pkg")
    assert found(devicefix("check", "--since", "HEAD", ".").out) == ["c.py:3"]
    assert found(devicefix("check", "--since", "HEAD", "../a.py").out) == ["../a.py:3"]
    git(Path(), "config", "diff.relative", "true")
    git(Path(), "config", "diff.noprefix", "true")
    assert found(devicefix("check", "--since", "HEAD", ".").out) == ["c.py:3"]


def test_line_ends_and_outputs_make_no_difference(devicefix: Devicefix, project: Path) -> None:
    Path("n.ipynb").write_bytes(notebook(code("import torch\nold = torch")))
    commit_all(project)
    Path("a.py").write_bytes(OLD.replace("\n", "\r\n").encode())
    Path("n.ipynb").write_bytes(notebook(code("import torch\nold = torch", 7)))
    assert devicefix("check", "--since", "HEAD", ".").status == 0
    Path("n.ipynb").write_bytes(notebook(code("import torch\nold = torch\nprint(old)")))
    run = devicefix("check", "--since", "HEAD", ".")
    assert "n.ipynb:cell 1:3:7 TST101" in run.out
    assert "1 finding in 1 file" in run.out


def test_what_git_does_not_see_as_text(devicefix: Devicefix, project: Path) -> None:
    Path(".gitattributes").write_text("*.py binary\n")
    Path("a.py").write_text("# coding: latin-1\n" + OLD)
    Path("a.py").write_bytes(Path("a.py").read_bytes() + b"print(old, '\xe9')\n")
    assert found(devicefix("check", "--since", "HEAD", "a.py").out) == ["a.py:4"]


@pytest.mark.parametrize(
    "revision",
    [
        "--output=stolen",
        "-n",
        "^HEAD",
        "HEAD..",
        "HEAD~9",
        "nothing",
        "",
        "HEAD:a.py",
        "a\nb",
        "...",
    ],
)
def test_what_is_no_revision(devicefix: Devicefix, project: Path, revision: str) -> None:
    before = sorted(Path().iterdir())
    run = devicefix("check", f"--since={revision}", ".")
    if not revision:
        assert run.status == 1  # as without the option
        return
    assert (run.status, run.out) == (2, "")
    assert run.err.startswith("Error: --since: ")
    assert run.err.count("\n") == 1
    assert sorted(Path().iterdir()) == before


def test_without_a_repository_or_git(
    devicefix: Devicefix, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = project.resolve().parent / "outside"
    outside.mkdir()
    (outside / "a.py").write_text(OLD)
    run = devicefix("check", "--since", "HEAD", str(outside))
    assert run.status == 2
    assert run.err == f"Error: --since needs git, and {outside} is not in a git repository\n"
    monkeypatch.setenv("PATH", str(outside))
    run = devicefix("check", "--since", "HEAD", ".")
    assert (run.status, run.err) == (2, "Error: git is not installed\n")


def test_a_file_with_the_name_of_a_revision_and_one_of_an_option(
    devicefix: Devicefix, project: Path
) -> None:
    for name in ("main", "--all.py", ":(glob)x.py", "a*.py"):
        Path(name).write_text(OLD)
    commit_all(project)
    Path("--all.py").write_text(OLD + "print(old)\n")
    Path(":(glob)x.py").write_text(OLD + "print(old)\n")
    run = devicefix("check", "--since", "main", ".")
    assert found(run.out) == ["--all.py:3", ":(glob)x.py:3"]


def test_a_review_is_about_the_same(
    devicefix: Devicefix, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serving = pytest.importorskip("devicefix.review.serving")
    models: list[Any] = []
    monkeypatch.setattr(serving, "serve", lambda model, *_: models.append(model))
    Path("a.py").write_text("import torch\nold = 1\nold = torch\n")
    for more in ((), ("--since", "HEAD")):
        devicefix("review", *more, ".")
    states = [model.session.state for model in models]
    assert [len(state.proposals) for state in states] == [4, 1]


def test_a_repository_in_a_repository(devicefix: Devicefix, project: Path) -> None:
    """Its branches are its own; what counts is what the outer one had of it."""
    library = project.resolve().parent / "library"
    library.mkdir()
    (library / "x.py").write_text(OLD)
    commit_all(library)
    file = "protocol.file.allow=always"
    git(project, "-c", file, "submodule", "--quiet", "add", str(library), "library")
    commit_all(project)
    git(project, "tag", "here")
    shutil.copytree(library, "guest")  # a clone that the outer one knows nothing of
    assert found(devicefix("check", "--since", "here", ".").out) == ["guest/x.py:2"]
    Path("library/x.py").write_text(OLD + "print(old)\n")
    commit_all(Path("library"))
    run = devicefix("check", "--since", "here", "library", ".")
    assert run.status == 2  # it is asked for by name, and has no such tag
    run = devicefix("check", "--since", "here", ".")
    assert found(run.out) == ["guest/x.py:2", "library/x.py:3"]


def test_with_a_baseline(devicefix: Devicefix, project: Path) -> None:
    Path("a.py").write_text(OLD + "print(old)\n")
    devicefix("baseline", ".")
    Path("b.py").write_text(OLD + "print(old)\n")
    run = devicefix("check", "--since", "HEAD", "--baseline", "devicefix-baseline.json", ".")
    assert found(run.out) == ["b.py:3"]
    assert "no longer found" not in run.err


def test_what_stands_in_for_an_old_content_does_not_count(
    devicefix: Devicefix, project: Path
) -> None:
    Path("a.py").write_text(OLD + "print(old)\n")
    new = git(project, "hash-object", "-w", "a.py").strip()
    git(project, "replace", git(project, "rev-parse", "HEAD:a.py").strip(), new)
    assert found(devicefix("check", "--since", "HEAD", ".").out) == ["a.py:3"]
