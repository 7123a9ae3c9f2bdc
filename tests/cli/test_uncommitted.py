"""`apply` rewrites no file with changes that git does not have."""

from __future__ import annotations

import os
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
NEW = "import torch\nnew = torch\n"


@pytest.fixture
def project(devicefix: Devicefix) -> Path:
    """The current folder: a repository with three files, all committed."""
    for name in ("a.py", "b.py", "pkg/c.py"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(OLD)
    commit_all(Path())
    return Path()


def texts(folder: Path) -> dict[str, str]:
    return {str(p.relative_to(folder)): p.read_text() for p in sorted(folder.rglob("*.py"))}


def test_a_clean_tree_is_rewritten_again_and_again(devicefix: Devicefix, project: Path) -> None:
    Path("a.py").write_text(OLD + "risky = torch\n")
    commit_all(project)
    assert devicefix("apply", ".").status == 0
    assert texts(project)["b.py"] == NEW
    assert devicefix("apply", "--unsafe-fixes", ".").status == 0  # over what it wrote itself
    assert texts(project)["a.py"] == NEW + "bold = torch\n"
    assert devicefix("undo").status == devicefix("undo").status == 0
    git(project, "checkout", "-q", "HEAD~", "a.py")
    assert set(texts(project).values()) == {OLD}


@pytest.mark.parametrize("staged", [False, True])
def test_files_with_changes_are_named_and_nothing_is_written(
    devicefix: Devicefix, project: Path, staged: bool
) -> None:
    Path("b.py").write_text(OLD + "y = 1\n")
    Path("pkg/c.py").write_text(OLD + "y = 1\n")
    if staged:
        git(project, "add", ".")
    before = texts(project)
    run = devicefix("apply", ".")
    assert (run.status, run.out) == (2, "")
    assert run.err == (
        "Error: nothing was written: uncommitted changes in b.py, pkg/c.py; "
        "commit or stash them, or use --allow-dirty\n"
    )
    assert texts(project) == before
    assert devicefix("apply", "--dry-run", ".").status == 0
    assert devicefix("apply", "--check", ".").status == 1
    assert devicefix("apply", "a.py").status == 0
    assert devicefix("apply", "--allow-dirty", ".").status == 0
    assert texts(project)["b.py"] == NEW + "y = 1\n"


def test_what_was_changed_behind_devicefix_is_somebodys(
    devicefix: Devicefix, project: Path
) -> None:
    devicefix("apply", "--select", "TST101", "a.py")
    Path("a.py").write_text(NEW + "old = torch\n")
    assert devicefix("apply", "a.py").status == 2
    assert Path("a.py").read_text() == NEW + "old = torch\n"


def test_changes_elsewhere_are_in_nobodys_way(devicefix: Devicefix, project: Path) -> None:
    Path("README.md").write_text("new\n")
    Path("untracked.py").write_text(OLD)
    Path("b.py").write_text("import torch\n")  # nothing to fix
    Path("a.py").chmod(0o755)
    assert devicefix("apply", ".").status == 0
    assert Path("untracked.py").read_text() == NEW


def test_files_that_git_does_not_track_are_named(devicefix: Devicefix, project: Path) -> None:
    Path(".gitignore").write_text("out\n")
    for name in ("new.py", "out/made.py"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(OLD)
    said = "Not tracked by git: new.py, out/made.py. `git diff` does not show these changes; "
    assert said not in devicefix("apply", "--dry-run", ".", "out/made.py").err
    run = devicefix("apply", "a.py", "new.py", "out/made.py")
    assert run.status == 0
    assert f"\n{said}only `devicefix undo` reverts them.\n" in run.out
    assert devicefix("undo").status == 0
    assert Path("new.py").read_text() == OLD
    assert "Not tracked" not in devicefix("apply", "a.py").out


def test_a_file_added_before_the_first_commit(devicefix: Devicefix) -> None:
    Path("a.py").write_text(OLD)
    git(Path(), "init", "-q")
    assert devicefix("apply", "a.py").status == 0
    Path("a.py").write_text(OLD)
    git(Path(), "add", "a.py")
    assert devicefix("apply", "--dry-run", "a.py").status == 0
    assert devicefix("apply", "a.py").status == 2


def test_copies_and_ruins_of_repositories_are_folders_like_others(
    devicefix: Devicefix, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("a.py").write_text(OLD + "y = 1\n")
    copy = project.resolve().parent / "copy"
    shutil.copytree(project, copy, ignore=shutil.ignore_patterns(".git"))
    assert devicefix("apply", str(copy)).status == 0
    for ruin in ("", "gitdir: /nowhere/.git/worktrees/x\n"):
        shutil.copytree(project, copy, ignore=shutil.ignore_patterns(".git"), dirs_exist_ok=True)
        (copy / ".git").write_text(ruin) if ruin else (copy / ".git").mkdir()
        assert devicefix("apply", str(copy)).status == 0
        (copy / ".git").rmdir() if not ruin else (copy / ".git").unlink()
    monkeypatch.setenv("PATH", str(copy))  # no git
    assert devicefix("apply", "a.py").status == 0


def test_a_folder_below_a_repository_that_git_ignores(devicefix: Devicefix, project: Path) -> None:
    Path(".gitignore").write_text("out\n")
    Path("out").mkdir()
    Path("out/a.py").write_text(OLD)
    assert devicefix("apply", "out/a.py").status == 0


def test_a_link_is_what_it_points_to(devicefix: Devicefix, project: Path) -> None:
    link = project.resolve().parent / "elsewhere.py"
    link.symlink_to(Path("a.py").resolve())
    Path("a.py").write_text(OLD + "y = 1\n")
    run = devicefix("apply", str(link))
    assert run.status == 2
    assert f"uncommitted changes in {link}" in run.err


def test_git_starts_nothing_that_the_repository_names(devicefix: Devicefix, project: Path) -> None:
    hook = Path("hook").resolve()
    hook.write_text('#!/bin/sh\ntouch "$(dirname "$0")/ran"\n')
    hook.chmod(0o755)
    (project / ".git/hooks").mkdir(exist_ok=True)
    shutil.copy(hook, ".git/hooks/post-index-change")
    filters = [f"filter.{name}.{kind}" for name in ("x", "a=.b") for kind in ("clean", "process")]
    for name in (*filters, "core.fsmonitor", "diff.external", "core.pager", "diff.x.textconv"):
        git(project, "config", name, str(hook))
    git(project, "config", "filter.x.required", "true")
    Path(".gitattributes").write_text("*.py diff=x filter=x\nb.py filter=a=.b\n")
    Path("b.py").write_text(OLD + "y = 1\n")
    assert devicefix("apply", ".").status == 2
    assert devicefix("check", "--since", "HEAD", ".").status == 0
    assert not Path("ran").exists()
    assert not Path(".git/hooks/ran").exists()


def test_what_a_filter_makes_of_a_file_is_no_change(devicefix: Devicefix, project: Path) -> None:
    """As nbstripout, which keeps outputs out of git, and has its users set that up."""
    git(project, "config", "filter.strip.clean", "sed s/5/0/")
    Path(".gitattributes").write_text("*.ipynb filter=strip\n")
    name = Path("n.ipynb")
    name.write_bytes(notebook(code("import torch\nold = torch")))
    commit_all(project)
    name.write_bytes(notebook(code("import torch\nold = torch", 7)))  # run once more
    assert devicefix("apply", "n.ipynb").status == 0
    assert b"new = torch" in name.read_bytes()
    name.write_bytes(notebook(code("import torch\nold = torch\ny = 1")))
    assert devicefix("apply", "n.ipynb").status == 2
    name.write_bytes(notebook(code("old = torch")))  # a line less
    assert devicefix("apply", "n.ipynb").status == 2


def test_a_clone_without_all_files_fetches_nothing(devicefix: Devicefix, project: Path) -> None:
    here = project.resolve()
    for line in ("y = 0\n", "y = 1\n"):
        Path("a.py").write_text(OLD + line)
        commit_all(project)
    git(project, "config", "uploadpack.allowFilter", "true")
    part = here.parent / "part"
    url = here.as_uri()
    git(project, "clone", "-q", "--filter=blob:none", url, str(part))
    assert devicefix("check", str(part)).status == 1
    (part / "a.py").write_text(OLD + "y = 2\n")
    run = devicefix("check", "--since", "HEAD~", str(part))
    assert (run.status, "is a partial clone" in run.err) == (2, True)
    assert devicefix("apply", str(part)).status == 2


def test_the_repository_is_that_of_the_file(
    devicefix: Devicefix, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("a.py").write_text(OLD + "y = 1\n")
    monkeypatch.setenv("GIT_DIR", str(project.resolve() / "nowhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", "nothing")
    assert devicefix("apply", ".").status == 2


def test_a_repository_of_somebody_else_is_told(
    devicefix: Devicefix, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")  # git's own tests use it
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    run = devicefix("apply", ".")
    assert run.status == 2
    assert "dubious ownership" in run.err
    assert "safe.directory" in run.err
    assert "--allow-dirty" in run.err
    assert set(texts(project).values()) == {OLD}


def test_names_cannot_steer_a_terminal(devicefix: Devicefix, project: Path) -> None:
    name = "\x1b[31mred\n.py"
    Path(name).write_text(OLD)
    commit_all(project)
    Path(name).write_text(OLD + "y = 1\n")
    run = devicefix("apply", ".")
    assert run.status == 2
    assert "uncommitted changes in \\x1b[31mred\\n.py;" in run.err
    assert "\x1b" not in run.err
