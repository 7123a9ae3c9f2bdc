"""What was edited by hand, and the fixes that are accepted besides."""

from __future__ import annotations

from pathlib import Path

import pytest

from devicefix.engine import Change
from devicefix.proposals import ReviewError, Store, Verdict
from devicefix.proposals.attribution import file_hunks
from devicefix.proposals.by_hand import ByHand, why_not
from tests.proposals.conftest import Plant, Review
from tests.proposals.test_session import ACCEPTED, TEXT, ids

MINE = b"# mine, and longer than what stands in front of the first fix\n"
BASE = b"1\n2\n3\n4\n5\n6\n"


@pytest.mark.parametrize(
    ("ours", "theirs", "both"),
    [
        (b"1\n2\n3\n4\n5\n6\n", b"1\ntwo\n3\n4\n5\n6\n", b"1\ntwo\n3\n4\n5\n6\n"),
        (b"1\nzwei\n3\n4\n5\n6\n", BASE, b"1\nzwei\n3\n4\n5\n6\n"),
        (b"0\n1\n2\n3\n4\n5\n6\n", b"1\n2\n3\n4\n5\n6\n7\n", b"0\n1\n2\n3\n4\n5\n6\n7\n"),
        (b"1\n3\n4\n5\n6\n", b"1\n2\n3\n4\n6", b"1\n3\n4\n6"),
        (b"1\nx\n3\n4\n5\n6\n", b"1\nx\n3\ny\n5\n6\n", b"1\nx\n3\ny\n5\n6\n"),
        (b"", BASE, b""),
    ],
)
def test_changes_of_other_lines_go_together(ours: bytes, theirs: bytes, both: bytes) -> None:
    for one, other in ((ours, theirs), (theirs, ours)):
        merged = ByHand(BASE, one).on(other)
        assert (merged.data, merged.has_conflicts) == (both, False)


def test_changes_of_the_same_lines_stand_between_marks() -> None:
    merged = ByHand(BASE, b"1\nmine\n3\n4\n5\nlast").on(b"1\nfixed\nmore\n3\n4\n5\n6\n")
    assert merged.has_conflicts
    assert merged.data == (
        b"1\n<<<<<<< your edit\nmine\n=======\nfixed\nmore\n>>>>>>> the fixes\n3\n4\n5\nlast"
    )


def test_changes_of_neighbouring_lines_are_asked_about() -> None:
    merged = ByHand(BASE, b"1\nzwei\n3\n4\n5\n6\n").on(b"1\n2\ndrei\n4\n5\n6\n")
    marks = b"<<<<<<< your edit\nzwei\n3\n=======\n2\ndrei\n>>>>>>> the fixes\n"
    assert merged.data == b"1\n" + marks + b"4\n5\n6\n"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"x = 1\n", None),
        (b"x = '\\d'\n", None),  # a warning is none
        (b"x = (\n", "line 1"),
        (b"return 1\n", "line 1"),
        (b"x = '\xff'\n", "line 1"),
        (b"# coding: latin-1\nx = 1\n", "iso"),
        (b"x = 1\0\n", "null"),
    ],
)
def test_only_what_python_reads_may_be_written(data: bytes, reason: str | None) -> None:
    why = why_not(data, Change(b"", b"", "utf-8"), "a.py")
    assert (why is None) == (reason is None)
    if why is not None and reason is not None:
        assert reason in f"line {why.line}: {why.reason}"


def test_it_is_kept_and_written_with_what_is_accepted_later(plant: Plant, review: Review) -> None:
    root = plant(a=TEXT)
    session = review(root, store=Store([root]))
    path, first = str(root / "a.py"), ids(session, "DFX1")[0]
    result = session.result(path, [first])
    assert result is not None
    session.decide([first], ACCEPTED)
    session.edit(path, result.after, MINE + result.after)
    again = review(root, store=Store([root]))
    again.decide(ids(again, "DFX2"), ACCEPTED)
    accepted = again.accepted()
    ((_, change),) = accepted.report.changes
    (hunk,) = file_hunks(path, change, accepted.report.groups).hunks
    rows = [row for row in hunk.rows if not row.is_context]
    assert [bool(row.proposals) for row in rows] == [False, True, True]
    again.write(accepted)
    assert Path(path).read_text() == MINE.decode() + TEXT.replace("one", "eins", 1).replace(
        "two", "zwei"
    )


def test_it_goes_with_the_last_fix_of_its_file(plant: Plant, review: Review) -> None:
    root = plant(a=TEXT)
    session = review(root)
    path, first = str(root / "a.py"), ids(session, "DFX1")
    result = session.result(path, first)
    assert result is not None
    session.decide(first, ACCEPTED)
    session.edit(path, result.after, result.after + b"# mine\n")
    session.decide(first, Verdict.REJECTED)
    assert session.write().changes == ()


def test_a_clash_that_nobody_is_asked_about_is_an_error(plant: Plant, review: Review) -> None:
    root = plant(a=TEXT)
    session = review(root)
    path, first = str(root / "a.py"), ids(session, "DFX1")[0]
    result = session.result(path, [first])
    assert result is not None
    session.decide([first], ACCEPTED)
    session.edit(path, result.after, result.after.replace(b"two", b"deux"))
    session.decide(ids(session, "DFX2"), ACCEPTED)
    with pytest.raises(ReviewError, match=r"conflicts with fixes .* apply -i"):
        session.write()
    assert (root / "a.py").read_text() == TEXT
    session.write(session.accepted(lambda path, marked, change: result.after))
    assert (root / "a.py").read_text() == TEXT.replace("one", "eins", 1)
