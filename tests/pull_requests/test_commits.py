"""What is committed, and that nothing of the repository is executed or believed for it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from devicefix.pull_requests import Author, Operation, PullRequestError
from tests.pull_requests.conftest import BRANCH, Desk, git


def test_only_what_changed_is_committed_and_rights_stay(desk: Desk) -> None:
    (desk.folder / "a.py").chmod(0o755)
    desk.git("commit", "-q", "-a", "-m", "executable")
    desk.git("push", "-q", "origin", "main")
    (desk.folder / "untracked.py").write_text("x\n")
    desk.publish({"a.py": "1\n"})
    assert desk.repository.git("diff", "--name-only", "main", BRANCH) == "a.py"
    assert desk.repository.git("ls-tree", BRANCH, "a.py").startswith("100755 ")


def test_the_commit_names_its_author(desk: Desk) -> None:
    desk.publish({"a.py": "1\n"})
    shown = desk.repository.git("log", "-1", "--format=%an <%ae> %cn <%ce>|%s", BRANCH)
    assert shown == "A Bot <bot@example.org> A Bot <bot@example.org>|Fix devices"


def test_the_same_changes_of_the_same_date_are_the_same_commit(desk: Desk) -> None:
    names = []
    for branch in ("one", "two"):
        desk.publish({"a.py": "1\n"}, branch=branch, date=1_700_000_000)
        names.append(desk.repository.head_of(branch))
    assert names[0] == names[1]
    assert desk.repository.git("log", "-1", "--format=%at %ct", "one") == "1700000000 1700000000"


@pytest.mark.parametrize("text", ["Jane", "Jane <>", "J <a@b>\nX: y", "<a@b.c>", "J <a@b> <c@d>"])
def test_no_author_is_made_up(text: str) -> None:
    with pytest.raises(ValueError, match="not of the form"):
        Author.parse(text)


def test_hooks_filters_and_monitors_do_not_run(desk: Desk, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    script = f"#!/bin/sh\necho $0 >> {ran}\ncat\n"
    program = tmp_path / "program"
    program.write_text(script)
    program.chmod(0o755)
    hooks = desk.folder / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("pre-commit", "commit-msg", "post-commit", "pre-push", "reference-transaction"):
        (hooks / name).write_text(script)
        (hooks / name).chmod(0o755)
    desk.commit(".gitattributes", "*.py filter=evil diff=evil\n")
    ran.unlink(missing_ok=True)  # git itself ran them just now
    for key in ("core.fsmonitor", "filter.evil.clean", "filter.evil.smudge", "diff.evil.textconv"):
        desk.git("config", key, str(program))
    desk.git("config", "diff.external", str(program))
    desk.git("config", "core.sshCommand", str(program))
    desk.git("config", "credential.helper", f"!{program}")
    assert desk.publish({"a.py": "1\n"}).operation is Operation.CREATED
    assert desk.publish({"a.py": "2\n"}).operation is Operation.UPDATED
    assert not ran.exists()


def test_line_ends_that_git_makes_on_the_disk_are_not_committed(desk: Desk) -> None:
    (desk.folder / "a.py").write_bytes(b"one\r\ntwo\r\nthree\r\n")
    desk.publish({"a.py": "one\r\n2\r\nthree\r\n"})
    assert desk.repository.git("diff", "--numstat", "main", BRANCH) == "1\t1\ta.py"


def test_line_ends_of_the_file_itself_stay(desk: Desk) -> None:
    desk.commit("a.py", "one\r\ntwo\r\n")
    desk.publish({"a.py": "one\r\n2\r\n"})
    assert desk.repository.git("diff", "--numstat", "main", BRANCH) == "1\t1\ta.py"


def test_what_differs_from_its_commit_is_refused(desk: Desk) -> None:
    (desk.folder / "a.py").write_text("dirty\n")
    with pytest.raises(PullRequestError, match=r"a\.py is not what is committed"):
        desk.publish({"a.py": "1\n"})
    assert desk.repository.head_of(BRANCH) is None


def test_what_git_does_not_know_is_refused(desk: Desk) -> None:
    (desk.folder / "new.py").write_text("x\n")
    with pytest.raises(PullRequestError, match=r"new\.py is not in the commit"):
        desk.publish({"new.py": "1\n"})


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_link_is_followed_inside_and_refused_outside(desk: Desk, tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text("x\n")
    (desk.folder / "in.py").symlink_to("a.py")
    (desk.folder / "out.py").symlink_to(outside)
    desk.git("add", ".")
    desk.git("commit", "-q", "-m", "links")
    desk.git("push", "-q", "origin", "main")
    with pytest.raises(PullRequestError, match=r"out\.py lies outside of the repository"):
        desk.publish({"out.py": "1\n"})
    with pytest.raises(PullRequestError, match="lies outside of the repository"):
        desk.publish({"../outside.py": "1\n"})
    desk.publish({"in.py": "1\n"})
    assert desk.repository.git("diff", "--name-only", "main", BRANCH) == "a.py"


def test_the_files_of_git_itself_are_refused(desk: Desk) -> None:
    with pytest.raises(PullRequestError, match="belongs to git itself"):
        desk.publish({".git/config": "[core]\n"})


def test_strange_names_are_names(desk: Desk) -> None:
    names = ["-rf.py", "*.py", ":(top)a.py", "ü ä.py", 'a"b\tc.py']
    for name in names:
        desk.commit(name, "x\n")
    desk.publish(dict.fromkeys(names, "1\n"))
    listed = desk.repository.git("diff", "-z", "--name-only", "main", BRANCH)
    assert sorted(listed.split("\0")[:-1]) == sorted(names)
    assert desk.content("a.py") == "one\ntwo\nthree"


@pytest.mark.skipif(os.name != "posix", reason="names are text elsewhere")
def test_so_are_names_in_no_encoding(desk: Desk) -> None:
    name = os.fsdecode(b"caf\xe9.py")
    try:
        desk.commit(name, "x\n")
    except OSError:
        pytest.skip("the file system takes no such names")
    desk.publish({name: "1\n"})
    assert desk.publish({name: "1\n"}).operation is Operation.UNCHANGED


def test_a_shallow_clone_is_enough_and_stays_one(desk: Desk, tmp_path: Path) -> None:
    for number in range(3):
        desk.commit("b.py", f"{number}\n")
    full = desk.folder
    desk.folder = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{desk.repository.folder}", "shallow")
    boundary = (desk.folder / ".git" / "shallow").read_bytes()
    assert desk.publish({"a.py": "1\n"}).operation is Operation.CREATED
    assert desk.publish({"a.py": "2\n"}).operation is Operation.UPDATED
    assert (desk.folder / ".git" / "shallow").read_bytes() == boundary
    desk.folder = full
    desk.commit("a.py", "zero\n")
    desk.folder = tmp_path / "again"
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{desk.repository.folder}", "again")
    assert desk.publish({"a.py": "0\n"}).operation is Operation.UPDATED


@pytest.mark.parametrize("what", ["blob:none", "tree:0"])
def test_so_is_a_clone_that_lacks_what_is_not_checked_out(
    desk: Desk, tmp_path: Path, what: str
) -> None:
    desk.repository.git("config", "uploadpack.allowFilter", "true")
    for number in range(3):
        desk.commit("b.py", f"{number}\n")
    desk.folder = tmp_path / "partial"
    address = f"file://{desk.repository.folder}"
    git(tmp_path, "clone", "-q", "--sparse", f"--filter={what}", address, "partial")
    assert desk.publish({"a.py": "1\n"}).operation is Operation.CREATED
    assert desk.publish({"a.py": "2\n"}).operation is Operation.UPDATED


def test_a_worktree_is_a_checkout_too(desk: Desk, tmp_path: Path) -> None:
    desk.git("worktree", "add", "-q", "--detach", str(tmp_path / "tree"))
    desk.folder = tmp_path / "tree"
    assert desk.publish({"a.py": "1\n"}).operation is Operation.CREATED


def test_without_a_checkout_it_is_said(desk: Desk, tmp_path: Path) -> None:
    desk.folder = tmp_path
    with pytest.raises(PullRequestError, match="is no checkout of a git repository"):
        desk.publish({})
    git(tmp_path, "init", "-q", "empty")
    desk.folder = tmp_path / "empty"
    with pytest.raises(PullRequestError, match="has no commit"):
        desk.publish({})
