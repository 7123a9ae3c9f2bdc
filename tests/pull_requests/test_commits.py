"""What is committed, and that nothing of the repository is executed or believed for it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from devicefix.pull_requests import Author, Operation, PullRequestError
from tests.pull_requests.conftest import BRANCH, Workspace, git


def test_only_what_changed_is_committed_and_rights_stay(workspace: Workspace) -> None:
    (workspace.folder / "a.py").chmod(0o755)
    workspace.git("commit", "-q", "-a", "-m", "executable")
    workspace.git("push", "-q", "origin", "main")
    (workspace.folder / "untracked.py").write_text("x\n")
    workspace.publish({"a.py": "1\n"})
    assert workspace.repository.git("diff", "--name-only", "main", BRANCH) == "a.py"
    assert workspace.repository.git("ls-tree", BRANCH, "a.py").startswith("100755 ")


def test_the_commit_names_its_author(workspace: Workspace) -> None:
    workspace.publish({"a.py": "1\n"})
    shown = workspace.repository.git("log", "-1", "--format=%an <%ae> %cn <%ce>|%s", BRANCH)
    assert shown == "A Bot <bot@example.org> A Bot <bot@example.org>|Fix devices"


def test_the_same_changes_of_the_same_date_are_the_same_commit(workspace: Workspace) -> None:
    names = []
    for branch in ("one", "two"):
        workspace.publish({"a.py": "1\n"}, branch=branch, date=1_700_000_000)
        names.append(workspace.repository.head_of(branch))
    assert names[0] == names[1]
    assert (
        workspace.repository.git("log", "-1", "--format=%at %ct", "one") == "1700000000 1700000000"
    )


@pytest.mark.parametrize("text", ["Jane", "Jane <>", "J <a@b>\nX: y", "<a@b.c>", "J <a@b> <c@d>"])
def test_no_author_is_made_up(text: str) -> None:
    with pytest.raises(ValueError, match="not of the form"):
        Author.parse(text)


def test_hooks_filters_and_monitors_do_not_run(workspace: Workspace, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    script = f"#!/bin/sh\necho $0 >> {ran}\ncat\n"
    program = tmp_path / "program"
    program.write_text(script)
    program.chmod(0o755)
    hooks = workspace.folder / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("pre-commit", "commit-msg", "post-commit", "pre-push", "reference-transaction"):
        (hooks / name).write_text(script)
        (hooks / name).chmod(0o755)
    workspace.commit(".gitattributes", "*.py filter=evil diff=evil\n")
    ran.unlink(missing_ok=True)  # git itself ran them just now
    for key in ("core.fsmonitor", "filter.evil.clean", "filter.evil.smudge", "diff.evil.textconv"):
        workspace.git("config", key, str(program))
    workspace.git("config", "diff.external", str(program))
    workspace.git("config", "core.sshCommand", str(program))
    workspace.git("config", "credential.helper", f"!{program}")
    assert workspace.publish({"a.py": "1\n"}).operation is Operation.CREATED
    assert workspace.publish({"a.py": "2\n"}).operation is Operation.UPDATED
    assert not ran.exists()


def test_line_ends_that_git_makes_on_the_disk_are_not_committed(workspace: Workspace) -> None:
    (workspace.folder / "a.py").write_bytes(b"one\r\ntwo\r\nthree\r\n")
    workspace.publish({"a.py": "one\r\n2\r\nthree\r\n"})
    assert workspace.repository.git("diff", "--numstat", "main", BRANCH) == "1\t1\ta.py"


def test_line_ends_of_the_file_itself_stay(workspace: Workspace) -> None:
    workspace.commit("a.py", "one\r\ntwo\r\n")
    workspace.publish({"a.py": "one\r\n2\r\n"})
    assert workspace.repository.git("diff", "--numstat", "main", BRANCH) == "1\t1\ta.py"


def test_what_differs_from_its_commit_is_refused(workspace: Workspace) -> None:
    (workspace.folder / "a.py").write_text("dirty\n")
    with pytest.raises(PullRequestError, match=r"a\.py differs from the commit"):
        workspace.publish({"a.py": "1\n"})
    assert workspace.repository.head_of(BRANCH) is None


def test_what_git_does_not_know_is_refused(workspace: Workspace) -> None:
    (workspace.folder / "new.py").write_text("x\n")
    with pytest.raises(PullRequestError, match=r"new\.py is not in the commit"):
        workspace.publish({"new.py": "1\n"})


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_link_is_followed_inside_and_refused_outside(
    workspace: Workspace, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text("x\n")
    (workspace.folder / "in.py").symlink_to("a.py")
    (workspace.folder / "out.py").symlink_to(outside)
    workspace.git("add", ".")
    workspace.git("commit", "-q", "-m", "links")
    workspace.git("push", "-q", "origin", "main")
    with pytest.raises(PullRequestError, match=r"out\.py is outside the repository"):
        workspace.publish({"out.py": "1\n"})
    with pytest.raises(PullRequestError, match="is outside the repository"):
        workspace.publish({"../outside.py": "1\n"})
    workspace.publish({"in.py": "1\n"})
    assert workspace.repository.git("diff", "--name-only", "main", BRANCH) == "a.py"


def test_the_files_of_git_itself_are_refused(workspace: Workspace) -> None:
    with pytest.raises(PullRequestError, match="belongs to git itself"):
        workspace.publish({".git/config": "[core]\n"})


def test_strange_names_are_names(workspace: Workspace) -> None:
    names = ["-rf.py", "*.py", ":(top)a.py", "ü ä.py", 'a"b\tc.py']
    for name in names:
        workspace.commit(name, "x\n")
    workspace.publish(dict.fromkeys(names, "1\n"))
    listed = workspace.repository.git("diff", "-z", "--name-only", "main", BRANCH)
    assert sorted(listed.split("\0")[:-1]) == sorted(names)
    assert workspace.content("a.py") == "one\ntwo\nthree"


@pytest.mark.skipif(os.name != "posix", reason="names are text elsewhere")
def test_so_are_names_in_no_encoding(workspace: Workspace) -> None:
    name = os.fsdecode(b"caf\xe9.py")
    try:
        workspace.commit(name, "x\n")
    except OSError:
        pytest.skip("the file system takes no such names")
    workspace.publish({name: "1\n"})
    assert workspace.publish({name: "1\n"}).operation is Operation.UNCHANGED


def test_a_shallow_clone_is_enough_and_stays_one(workspace: Workspace, tmp_path: Path) -> None:
    for number in range(3):
        workspace.commit("b.py", f"{number}\n")
    full = workspace.folder
    workspace.folder = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{workspace.repository.folder}", "shallow")
    boundary = (workspace.folder / ".git" / "shallow").read_bytes()
    assert workspace.publish({"a.py": "1\n"}).operation is Operation.CREATED
    assert workspace.publish({"a.py": "2\n"}).operation is Operation.UPDATED
    assert (workspace.folder / ".git" / "shallow").read_bytes() == boundary
    workspace.folder = full
    workspace.commit("a.py", "zero\n")
    workspace.folder = tmp_path / "again"
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{workspace.repository.folder}", "again")
    assert workspace.publish({"a.py": "0\n"}).operation is Operation.UPDATED


@pytest.mark.parametrize("what", ["blob:none", "tree:0"])
def test_so_is_a_clone_that_lacks_what_is_not_checked_out(
    workspace: Workspace, tmp_path: Path, what: str
) -> None:
    workspace.repository.git("config", "uploadpack.allowFilter", "true")
    for number in range(3):
        workspace.commit("b.py", f"{number}\n")
    workspace.folder = tmp_path / "partial"
    address = f"file://{workspace.repository.folder}"
    git(tmp_path, "clone", "-q", "--sparse", f"--filter={what}", address, "partial")
    assert workspace.publish({"a.py": "1\n"}).operation is Operation.CREATED
    assert workspace.publish({"a.py": "2\n"}).operation is Operation.UPDATED


def test_a_worktree_is_a_checkout_too(workspace: Workspace, tmp_path: Path) -> None:
    workspace.git("worktree", "add", "-q", "--detach", str(tmp_path / "tree"))
    workspace.folder = tmp_path / "tree"
    assert workspace.publish({"a.py": "1\n"}).operation is Operation.CREATED


def test_without_a_checkout_it_is_said(workspace: Workspace, tmp_path: Path) -> None:
    workspace.folder = tmp_path
    with pytest.raises(PullRequestError, match="is not a checkout of a git repository"):
        workspace.publish({})
    git(tmp_path, "init", "-q", "empty")
    workspace.folder = tmp_path / "empty"
    with pytest.raises(PullRequestError, match="has no commit"):
        workspace.publish({})
