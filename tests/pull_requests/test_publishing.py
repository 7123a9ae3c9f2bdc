"""One pull request, whatever happens around it."""

from __future__ import annotations

from devicefix.pull_requests import Operation
from tests.pull_requests.conftest import BRANCH, Desk


def test_a_branch_and_a_pull_request_are_made(desk: Desk) -> None:
    made = desk.publish({"a.py": "one\n2\nthree\n"}, body="why")
    assert made.operation is Operation.CREATED
    (pull,) = desk.repository.pulls
    assert (made.number, made.url) == (1, f"{desk.server.address}/acme/model/pull/1")
    assert (pull.title, pull.head, pull.base, pull.state) == ("the title", BRANCH, "main", "open")
    assert "why" in pull.body
    assert desk.content("a.py") == "one\n2\nthree"
    assert desk.content("b.py") == "x"


def test_the_checkout_stays_as_it_is(desk: Desk) -> None:
    config = (desk.folder / ".git" / "config").read_bytes()
    desk.publish({"a.py": "1\n"})
    assert desk.git("status", "--porcelain") == ""
    assert desk.git("for-each-ref", "--format=%(refname)", "refs/devicefix") == ""
    assert (desk.folder / ".git" / "config").read_bytes() == config
    assert not (desk.folder / ".git" / "shallow").exists()


def test_the_same_again_changes_nothing(desk: Desk) -> None:
    first = desk.publish({"a.py": "one\n2\nthree\n"})
    pushes, asked = desk.server.pushes, len(desk.server.asked)
    again = desk.publish({"a.py": "one\n2\nthree\n"})
    assert again.operation is Operation.UNCHANGED
    assert (again.number, again.commit) == (first.number, first.commit)
    assert desk.server.pushes == pushes
    assert {one.method for one in desk.server.asked[asked:]} == {"GET"}


def test_other_changes_update_the_one_pull_request(desk: Desk) -> None:
    desk.publish({"a.py": "one\n2\nthree\n"}, body="first")
    again = desk.publish({"b.py": "y\n"}, body="second")
    assert (again.operation, again.number) == (Operation.UPDATED, 1)
    (pull,) = desk.repository.pulls
    assert "second" in pull.body
    assert "first" not in pull.body
    assert (desk.content("a.py"), desk.content("b.py")) == ("one\ntwo\nthree", "y")
    assert desk.repository.git("rev-list", "--count", f"main..{BRANCH}") == "1"


def test_a_new_body_alone_is_not_pushed(desk: Desk) -> None:
    desk.publish({"a.py": "1\n"}, body="first")
    pushes = desk.server.pushes
    assert desk.publish({"a.py": "1\n"}, body="second").operation is Operation.UPDATED
    assert desk.server.pushes == pushes
    assert "second" in desk.repository.pulls[0].body


def test_a_base_that_moved_elsewhere_needs_no_push(desk: Desk) -> None:
    desk.publish({"a.py": "1\n"})
    desk.commit("b.py", "other\n")
    assert desk.publish({"a.py": "1\n"}).operation is Operation.UNCHANGED


def test_a_base_that_moved_in_the_same_file_does(desk: Desk) -> None:
    desk.publish({"a.py": "one\n2\nthree\n"})
    desk.commit("a.py", "zero\none\ntwo\nthree\n")
    assert desk.publish({"a.py": "zero\none\n2\nthree\n"}).operation is Operation.UPDATED
    assert desk.content("a.py") == "zero\none\n2\nthree"
    assert desk.repository.git("rev-list", "--count", f"main..{BRANCH}") == "1"


def test_what_people_write_into_the_body_stays(desk: Desk) -> None:
    desk.publish({"a.py": "1\n"}, body="ours")
    pull = desk.repository.pulls[0]
    pull.title = "Another title"
    pull.body = f"Above.\r\n\r\n{pull.body}\r\n\r\nBelow."
    desk.publish({"a.py": "2\n"}, body="new")
    assert pull.title == "Another title"
    assert pull.body.startswith("Above.\n")
    assert pull.body.endswith("\nBelow.")
    assert "new" in pull.body
    assert "ours" not in pull.body


def test_a_body_without_our_marks_is_kept_below(desk: Desk) -> None:
    desk.publish({"a.py": "1\n"}, body="ours")
    pull = desk.repository.pulls[0]
    pull.body = "All mine."
    desk.publish({"a.py": "2\n"}, body="new")
    assert pull.body.endswith("\n\nAll mine.")
    assert "new" in pull.body


def test_marks_in_what_is_quoted_end_nothing(desk: Desk) -> None:
    quoted = "```diff\n-# <!-- devicefix: end -->\n+# x\n```"
    desk.publish({"a.py": "1\n"}, body=quoted)
    desk.publish({"a.py": "2\n"}, body="short")
    assert "+# x" not in desk.repository.pulls[0].body


# ---- other people --------------------------------------------------------------------------------


def test_commits_of_people_are_never_overwritten(desk: Desk) -> None:
    desk.publish({"a.py": "one\n2\nthree\n"}, body="before")
    theirs = desk.on_branch("b.py", "mine\n", "Mend\x1b[31m it ::error::x", "Eve")
    kept = desk.publish({"a.py": "1\n"}, body="after")
    assert (kept.operation, kept.number) == (Operation.KEPT, 1)
    assert desk.repository.head_of(BRANCH) == theirs
    assert "before" in desk.repository.pulls[0].body
    assert "by Eve" in kept.reason
    assert theirs[:10] in kept.reason


def test_nor_is_a_commit_of_ours_that_somebody_amended(desk: Desk) -> None:
    desk.publish({"a.py": "1\n"})
    desk.git("fetch", "-q", "origin", BRANCH)
    desk.git("checkout", "-q", "-B", "work", "FETCH_HEAD")
    (desk.folder / "a.py").write_text("amended\n")
    desk.git("commit", "-q", "-a", "--amend", "--no-edit")
    desk.git("push", "-q", "-f", "origin", f"HEAD:{BRANCH}")
    desk.git("checkout", "-q", "main")
    assert desk.publish({"a.py": "2\n"}).operation is Operation.KEPT
    assert desk.content("a.py") == "amended"


def test_nor_what_they_put_below_ours(desk: Desk) -> None:
    desk.publish({"a.py": "1\n"})
    desk.git("fetch", "-q", "origin", BRANCH)
    desk.git("checkout", "-q", "-b", "below", "main")
    (desk.folder / "b.py").write_text("theirs\n")
    desk.git("commit", "-q", "-a", "-m", "below")
    desk.git("cherry-pick", "FETCH_HEAD")
    desk.git("push", "-q", "-f", "origin", f"HEAD:{BRANCH}")
    desk.git("checkout", "-q", "main")
    assert desk.publish({"a.py": "2\n"}).operation is Operation.KEPT
    assert desk.content("b.py") == "theirs"


def test_a_branch_that_was_there_before_is_not_taken(desk: Desk) -> None:
    desk.git("push", "-q", "origin", f"main:{BRANCH}")
    desk.git("checkout", "-q", "-b", "own", "main")
    made = desk.commit("b.py", "theirs\n")
    desk.git("push", "-q", "-f", "origin", f"HEAD:{BRANCH}")
    desk.git("checkout", "-q", "main")
    kept = desk.publish({"a.py": "1\n"})
    assert (kept.operation, kept.number) == (Operation.KEPT, None)
    assert desk.repository.head_of(BRANCH) == made
    assert desk.repository.pulls == []


def test_the_base_merged_into_the_branch_is_nobody_s_work(desk: Desk) -> None:
    desk.publish({"a.py": "one\n2\nthree\n"})
    desk.commit("b.py", "newer\n")
    update_branch(desk)
    assert desk.publish({"a.py": "one\n2\nthree\n"}).operation is Operation.UNCHANGED
    assert desk.publish({"a.py": "1\n"}).operation is Operation.UPDATED
    assert (desk.content("a.py"), desk.content("b.py")) == ("1", "newer")


def test_but_what_somebody_did_in_such_a_merge_is(desk: Desk) -> None:
    desk.publish({"a.py": "one\n2\nthree\n"})
    desk.commit("b.py", "newer\n")
    update_branch(desk, "c.py")
    assert desk.publish({"a.py": "1\n"}).operation is Operation.KEPT
    assert desk.content("c.py") == "slipped in"


def update_branch(desk: Desk, more: str = "") -> None:
    """GitHub's button; ``more`` is a file that somebody adds to the merge."""
    desk.git("fetch", "-q", "origin", BRANCH)
    desk.git("checkout", "-q", "-B", "work", "FETCH_HEAD")
    desk.git("merge", "-q", "--no-edit", "--no-commit", "main")
    if more:
        (desk.folder / more).write_text("slipped in\n")
        desk.git("add", more)
    desk.git("commit", "-q", "-m", f"Merge branch 'main' into {BRANCH}")
    desk.git("push", "-q", "origin", f"HEAD:{BRANCH}")
    desk.git("checkout", "-q", "main")


def test_what_somebody_closed_is_not_proposed_again(desk: Desk) -> None:
    desk.publish({"a.py": "one\n2\nthree\n"})
    desk.repository.pulls[0].state = "closed"
    desk.commit("a.py", "zero\none\ntwo\nthree\n")
    pushes = desk.server.pushes
    declined = desk.publish({"a.py": "zero\none\n2\nthree\n"})
    assert (declined.operation, declined.number) == (Operation.DECLINED, 1)
    assert desk.server.pushes == pushes
    assert len(desk.repository.pulls) == 1


def test_nor_with_its_branch_deleted(desk: Desk) -> None:
    desk.publish({"a.py": "1\n"})
    desk.git("push", "-q", "origin", f":{BRANCH}")
    assert desk.publish({"a.py": "1\n"}).operation is Operation.DECLINED
    assert desk.repository.head_of(BRANCH) is None


def test_other_changes_than_those_closed_are(desk: Desk) -> None:
    desk.publish({"a.py": "1\n"})
    desk.repository.pulls[0].state = "closed"
    made = desk.publish({"a.py": "2\n"})
    assert (made.operation, made.number) == (Operation.CREATED, 2)


def test_after_a_merge_the_next_changes_get_a_pull_request(desk: Desk) -> None:
    desk.publish({"a.py": "1\n"})
    desk.repository.merge(1)
    desk.git("pull", "-q", "origin", "main")
    made = desk.publish({"b.py": "y\n"})
    assert (made.operation, made.number) == (Operation.CREATED, 2)


def test_an_earlier_run_that_ends_later_changes_nothing(desk: Desk) -> None:
    old = desk.git("rev-parse", "HEAD")
    desk.commit("b.py", "newer\n")
    newer = desk.publish({"a.py": "1\n"})
    desk.git("checkout", "-q", old)
    late = desk.publish({"a.py": "2\n"})
    assert (late.operation, late.commit) == (Operation.UNCHANGED, newer.commit)
    assert desk.content("a.py") == "1"


# ---- nothing to do -------------------------------------------------------------------------------


def test_without_a_pull_request_nothing_is_withdrawn(desk: Desk) -> None:
    assert desk.withdraw().operation is Operation.NOTHING
    assert {one.method for one in desk.server.asked} == {"GET"}


def test_it_is_closed_with_its_branch_when_nothing_is_left(desk: Desk) -> None:
    desk.publish({"a.py": "1\n"})
    gone = desk.withdraw()
    assert (gone.operation, gone.number) == (Operation.CLOSED, 1)
    (pull,) = desk.repository.pulls
    assert (pull.state, pull.merged) == ("closed", False)
    assert pull.comments == ["Nothing is left to fix."]
    assert desk.repository.head_of(BRANCH) is None
    assert desk.withdraw().operation is Operation.NOTHING


def test_what_we_closed_ourselves_was_not_declined(desk: Desk) -> None:
    desk.publish({"a.py": "1\n"})
    desk.withdraw()
    made = desk.publish({"a.py": "1\n"})
    assert (made.operation, made.number) == (Operation.CREATED, 2)


def test_a_branch_with_commits_of_people_stays_open(desk: Desk) -> None:
    desk.publish({"a.py": "1\n"})
    theirs = desk.on_branch("b.py", "mine\n", "mine")
    assert desk.withdraw().operation is Operation.KEPT
    assert desk.repository.pull(1).state == "open"
    assert desk.repository.head_of(BRANCH) == theirs
