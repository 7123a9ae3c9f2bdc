"""One pull request, whatever happens around it."""

from __future__ import annotations

from devicefix.pull_requests import Operation
from tests.pull_requests.conftest import BRANCH, Workspace


def test_a_branch_and_a_pull_request_are_made(workspace: Workspace) -> None:
    made = workspace.publish({"a.py": "one\n2\nthree\n"}, body="why")
    assert made.operation is Operation.CREATED
    (pull,) = workspace.repository.pulls
    assert (made.number, made.url) == (1, f"{workspace.server.address}/acme/model/pull/1")
    assert (pull.title, pull.head, pull.base, pull.state) == ("the title", BRANCH, "main", "open")
    assert "why" in pull.body
    assert workspace.content("a.py") == "one\n2\nthree"
    assert workspace.content("b.py") == "x"


def test_the_checkout_stays_as_it_is(workspace: Workspace) -> None:
    config = (workspace.folder / ".git" / "config").read_bytes()
    workspace.publish({"a.py": "1\n"})
    assert workspace.git("status", "--porcelain") == ""
    assert workspace.git("for-each-ref", "--format=%(refname)", "refs/devicefix") == ""
    assert (workspace.folder / ".git" / "config").read_bytes() == config
    assert not (workspace.folder / ".git" / "shallow").exists()


def test_the_same_again_changes_nothing(workspace: Workspace) -> None:
    first = workspace.publish({"a.py": "one\n2\nthree\n"})
    pushes, asked = workspace.server.pushes, len(workspace.server.asked)
    again = workspace.publish({"a.py": "one\n2\nthree\n"})
    assert again.operation is Operation.UNCHANGED
    assert (again.number, again.commit) == (first.number, first.commit)
    assert workspace.server.pushes == pushes
    assert {one.method for one in workspace.server.asked[asked:]} == {"GET"}


def test_other_changes_update_the_one_pull_request(workspace: Workspace) -> None:
    workspace.publish({"a.py": "one\n2\nthree\n"}, body="first")
    again = workspace.publish({"b.py": "y\n"}, body="second")
    assert (again.operation, again.number) == (Operation.UPDATED, 1)
    (pull,) = workspace.repository.pulls
    assert "second" in pull.body
    assert "first" not in pull.body
    assert (workspace.content("a.py"), workspace.content("b.py")) == ("one\ntwo\nthree", "y")
    assert workspace.repository.git("rev-list", "--count", f"main..{BRANCH}") == "1"


def test_a_new_body_alone_is_not_pushed(workspace: Workspace) -> None:
    workspace.publish({"a.py": "1\n"}, body="first")
    pushes = workspace.server.pushes
    assert workspace.publish({"a.py": "1\n"}, body="second").operation is Operation.UPDATED
    assert workspace.server.pushes == pushes
    assert "second" in workspace.repository.pulls[0].body


def test_a_base_that_moved_elsewhere_needs_no_push(workspace: Workspace) -> None:
    workspace.publish({"a.py": "1\n"})
    workspace.commit("b.py", "other\n")
    assert workspace.publish({"a.py": "1\n"}).operation is Operation.UNCHANGED


def test_a_base_that_moved_in_the_same_file_does(workspace: Workspace) -> None:
    workspace.publish({"a.py": "one\n2\nthree\n"})
    workspace.commit("a.py", "zero\none\ntwo\nthree\n")
    assert workspace.publish({"a.py": "zero\none\n2\nthree\n"}).operation is Operation.UPDATED
    assert workspace.content("a.py") == "zero\none\n2\nthree"
    assert workspace.repository.git("rev-list", "--count", f"main..{BRANCH}") == "1"


def test_what_people_write_into_the_body_stays(workspace: Workspace) -> None:
    workspace.publish({"a.py": "1\n"}, body="ours")
    pull = workspace.repository.pulls[0]
    pull.title = "Another title"
    pull.body = f"Above.\r\n\r\n{pull.body}\r\n\r\nBelow."
    workspace.publish({"a.py": "2\n"}, body="new")
    assert pull.title == "Another title"
    assert pull.body.startswith("Above.\n")
    assert pull.body.endswith("\nBelow.")
    assert "new" in pull.body
    assert "ours" not in pull.body


def test_a_body_without_our_marks_is_kept_below(workspace: Workspace) -> None:
    workspace.publish({"a.py": "1\n"}, body="ours")
    pull = workspace.repository.pulls[0]
    pull.body = "All mine."
    workspace.publish({"a.py": "2\n"}, body="new")
    assert pull.body.endswith("\n\nAll mine.")
    assert "new" in pull.body


def test_marks_in_what_is_quoted_end_nothing(workspace: Workspace) -> None:
    quoted = "```diff\n-# <!-- devicefix: end -->\n+# x\n```"
    workspace.publish({"a.py": "1\n"}, body=quoted)
    workspace.publish({"a.py": "2\n"}, body="short")
    assert "+# x" not in workspace.repository.pulls[0].body


# ---- other people --------------------------------------------------------------------------------


def test_commits_of_people_are_never_overwritten(workspace: Workspace) -> None:
    workspace.publish({"a.py": "one\n2\nthree\n"}, body="before")
    theirs = workspace.on_branch("b.py", "mine\n", "Mend\x1b[31m it ::error::x", "Eve")
    kept = workspace.publish({"a.py": "1\n"}, body="after")
    assert (kept.operation, kept.number) == (Operation.KEPT, 1)
    assert workspace.repository.head_of(BRANCH) == theirs
    assert "before" in workspace.repository.pulls[0].body
    assert "by Eve" in kept.reason
    assert theirs[:10] in kept.reason


def test_nor_is_a_commit_of_ours_that_somebody_amended(workspace: Workspace) -> None:
    workspace.publish({"a.py": "1\n"})
    workspace.git("fetch", "-q", "origin", BRANCH)
    workspace.git("checkout", "-q", "-B", "work", "FETCH_HEAD")
    (workspace.folder / "a.py").write_text("amended\n")
    workspace.git("commit", "-q", "-a", "--amend", "--no-edit")
    workspace.git("push", "-q", "-f", "origin", f"HEAD:{BRANCH}")
    workspace.git("checkout", "-q", "main")
    assert workspace.publish({"a.py": "2\n"}).operation is Operation.KEPT
    assert workspace.content("a.py") == "amended"


def test_nor_what_they_put_below_ours(workspace: Workspace) -> None:
    workspace.publish({"a.py": "1\n"})
    workspace.git("fetch", "-q", "origin", BRANCH)
    workspace.git("checkout", "-q", "-b", "below", "main")
    (workspace.folder / "b.py").write_text("theirs\n")
    workspace.git("commit", "-q", "-a", "-m", "below")
    workspace.git("cherry-pick", "FETCH_HEAD")
    workspace.git("push", "-q", "-f", "origin", f"HEAD:{BRANCH}")
    workspace.git("checkout", "-q", "main")
    assert workspace.publish({"a.py": "2\n"}).operation is Operation.KEPT
    assert workspace.content("b.py") == "theirs"


def test_a_branch_that_was_there_before_is_not_taken(workspace: Workspace) -> None:
    workspace.git("push", "-q", "origin", f"main:{BRANCH}")
    workspace.git("checkout", "-q", "-b", "own", "main")
    made = workspace.commit("b.py", "theirs\n")
    workspace.git("push", "-q", "-f", "origin", f"HEAD:{BRANCH}")
    workspace.git("checkout", "-q", "main")
    kept = workspace.publish({"a.py": "1\n"})
    assert (kept.operation, kept.number) == (Operation.KEPT, None)
    assert workspace.repository.head_of(BRANCH) == made
    assert workspace.repository.pulls == []


def test_the_base_merged_into_the_branch_is_nobody_s_work(workspace: Workspace) -> None:
    workspace.publish({"a.py": "one\n2\nthree\n"})
    workspace.commit("b.py", "newer\n")
    update_branch(workspace)
    assert workspace.publish({"a.py": "one\n2\nthree\n"}).operation is Operation.UNCHANGED
    assert workspace.publish({"a.py": "1\n"}).operation is Operation.UPDATED
    assert (workspace.content("a.py"), workspace.content("b.py")) == ("1", "newer")


def test_but_what_somebody_did_in_such_a_merge_is(workspace: Workspace) -> None:
    workspace.publish({"a.py": "one\n2\nthree\n"})
    workspace.commit("b.py", "newer\n")
    update_branch(workspace, "c.py")
    assert workspace.publish({"a.py": "1\n"}).operation is Operation.KEPT
    assert workspace.content("c.py") == "slipped in"


def update_branch(workspace: Workspace, more: str = "") -> None:
    """GitHub's button; ``more`` is a file that somebody adds to the merge."""
    workspace.git("fetch", "-q", "origin", BRANCH)
    workspace.git("checkout", "-q", "-B", "work", "FETCH_HEAD")
    workspace.git("merge", "-q", "--no-edit", "--no-commit", "main")
    if more:
        (workspace.folder / more).write_text("slipped in\n")
        workspace.git("add", more)
    workspace.git("commit", "-q", "-m", f"Merge branch 'main' into {BRANCH}")
    workspace.git("push", "-q", "origin", f"HEAD:{BRANCH}")
    workspace.git("checkout", "-q", "main")


def test_what_somebody_closed_is_not_proposed_again(workspace: Workspace) -> None:
    workspace.publish({"a.py": "one\n2\nthree\n"})
    workspace.repository.pulls[0].state = "closed"
    workspace.commit("a.py", "zero\none\ntwo\nthree\n")
    pushes = workspace.server.pushes
    declined = workspace.publish({"a.py": "zero\none\n2\nthree\n"})
    assert (declined.operation, declined.number) == (Operation.DECLINED, 1)
    assert workspace.server.pushes == pushes
    assert len(workspace.repository.pulls) == 1


def test_nor_with_its_branch_deleted(workspace: Workspace) -> None:
    workspace.publish({"a.py": "1\n"})
    workspace.git("push", "-q", "origin", f":{BRANCH}")
    assert workspace.publish({"a.py": "1\n"}).operation is Operation.DECLINED
    assert workspace.repository.head_of(BRANCH) is None


def test_other_changes_than_those_closed_are(workspace: Workspace) -> None:
    workspace.publish({"a.py": "1\n"})
    workspace.repository.pulls[0].state = "closed"
    made = workspace.publish({"a.py": "2\n"})
    assert (made.operation, made.number) == (Operation.CREATED, 2)


def test_after_a_merge_the_next_changes_get_a_pull_request(workspace: Workspace) -> None:
    workspace.publish({"a.py": "1\n"})
    workspace.repository.merge(1)
    workspace.git("pull", "-q", "origin", "main")
    made = workspace.publish({"b.py": "y\n"})
    assert (made.operation, made.number) == (Operation.CREATED, 2)


def test_an_earlier_run_that_ends_later_changes_nothing(workspace: Workspace) -> None:
    old = workspace.git("rev-parse", "HEAD")
    workspace.commit("b.py", "newer\n")
    newer = workspace.publish({"a.py": "1\n"})
    workspace.git("checkout", "-q", old)
    late = workspace.publish({"a.py": "2\n"})
    assert (late.operation, late.commit) == (Operation.UNCHANGED, newer.commit)
    assert workspace.content("a.py") == "1"


# ---- nothing to do -------------------------------------------------------------------------------


def test_without_a_pull_request_nothing_is_withdrawn(workspace: Workspace) -> None:
    assert workspace.withdraw().operation is Operation.NOTHING
    assert {one.method for one in workspace.server.asked} == {"GET"}


def test_it_is_closed_with_its_branch_when_nothing_is_left(workspace: Workspace) -> None:
    workspace.publish({"a.py": "1\n"})
    gone = workspace.withdraw()
    assert (gone.operation, gone.number) == (Operation.CLOSED, 1)
    (pull,) = workspace.repository.pulls
    assert (pull.state, pull.merged) == ("closed", False)
    assert pull.comments == ["Nothing is left to fix."]
    assert workspace.repository.head_of(BRANCH) is None
    assert workspace.withdraw().operation is Operation.NOTHING


def test_what_we_closed_ourselves_was_not_declined(workspace: Workspace) -> None:
    workspace.publish({"a.py": "1\n"})
    workspace.withdraw()
    made = workspace.publish({"a.py": "1\n"})
    assert (made.operation, made.number) == (Operation.CREATED, 2)


def test_a_branch_with_commits_of_people_stays_open(workspace: Workspace) -> None:
    workspace.publish({"a.py": "1\n"})
    theirs = workspace.on_branch("b.py", "mine\n", "mine")
    assert workspace.withdraw().operation is Operation.KEPT
    assert workspace.repository.pull(1).state == "open"
    assert workspace.repository.head_of(BRANCH) == theirs
