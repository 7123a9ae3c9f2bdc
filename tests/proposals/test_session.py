"""A review: what is proposed, what comes of a rejection, and exactly what is written."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from devicefix.engine import undo
from devicefix.findings import Applicability
from devicefix.proposals import ReviewError, ReviewSession, Store, Verdict
from tests.proposals.conftest import DEPENDING, Plant, Review, swap

ACCEPTED, REJECTED, PENDING = Verdict.ACCEPTED, Verdict.REJECTED, Verdict.PENDING
TEXT = "import torch\none = 1\ntwo = 2\nzzz = 0\none = 3\n"


def ids(session: ReviewSession, code: str = "") -> list[str]:
    return [p.id for p in session.state.proposals if code in p.group.codes[0]]


def verdicts(session: ReviewSession) -> str:
    """The first letters, in order."""
    return "".join(p.verdict.value[0] for p in session.state.proposals)


def test_all_is_proposed_in_the_order_of_places(plant: Plant, review: Review) -> None:
    state = review(plant(b="import torch\none = 1\n", a=TEXT)).state
    shown = [(p.group.codes[0], p.group.findings[0].line) for p in state.proposals]
    assert shown == [
        *(("DFX1", 2), ("DFX3", 2), ("DFX2", 3), ("DFX1", 5), ("DFX3", 5)),
        *(("DFX1", 2), ("DFX3", 2)),
    ]
    assert {p.verdict for p in state.proposals} == {PENDING}
    assert state.proposals[2].applicability is Applicability.UNSAFE
    assert [Path(file.path).name for file in state.files] == ["a.py", "b.py"]
    assert (state.checked, state.is_settled, state.rejected) == (2, True, ())


def test_only_what_is_accepted_is_written_and_undo_takes_it_back(
    plant: Plant, review: Review
) -> None:
    root = plant(a=TEXT, b="import torch\none = 1\n")
    session = review(root)
    session.decide(ids(session, "DFX2"), ACCEPTED)
    session.decide(ids(session, "DFX1")[:1], ACCEPTED)
    session.decide(ids(session, "DFX3"), REJECTED)
    report = session.write()
    assert report.errors == ()
    assert (root / "a.py").read_text() == TEXT.replace("one", "eins", 1).replace("two", "zwei")
    assert (root / "b.py").read_text() == "import torch\none = 1\n"
    undo()
    assert (root / "a.py").read_text() == TEXT


def test_what_builds_on_something_that_was_not_accepted_is_missing(
    plant: Plant, review: Review
) -> None:
    session = review(plant(a=TEXT))
    (later, _) = ids(session, "DFX3")
    session.decide([later], ACCEPTED)
    accepted = session.accepted()
    assert [p.id for p in accepted.missing] == [later]
    assert accepted.report.changes == ()


def test_nothing_is_written_where_nothing_was_accepted(plant: Plant, review: Review) -> None:
    root = plant(a=TEXT)
    assert review(root).write().changes == ()
    assert (root / "a.py").read_text() == TEXT


def test_rejections_stay_in_place_where_they_change_nothing_else(
    plant: Plant, review: Review
) -> None:
    session = review(plant(a=TEXT))
    before = session.state
    state = session.decide(ids(session, "DFX2"), REJECTED)
    assert not state.is_settled
    state = session.settle()
    assert state.is_settled
    assert state.files == before.files
    assert verdicts(session) == "pprpp"


def test_what_falls_with_a_rejection_is_gone_and_comes_back(plant: Plant, review: Review) -> None:
    session = review(plant(a=TEXT))
    whole = ids(session)
    session.decide(ids(session, "DFX1")[:1], REJECTED)
    state = session.settle()
    assert [p.group.codes[0] for p in state.proposals] == ["DFX2", "DFX1", "DFX3"]
    assert [p.id for p in state.rejected] == whole[:1]
    session.decide(whole[:1], PENDING)
    assert [p.id for p in session.settle().proposals] == whole


def test_a_group_that_does_something_else_is_asked_about_again(
    plant: Plant, review: Review
) -> None:
    root = plant(a="import torch\none = two = 0\n")
    session = review(root, rules=(swap("DFX1", "one", "eins", early=True), DEPENDING))
    session.decide(ids(session), ACCEPTED)
    session.decide(ids(session, "DFX1"), REJECTED)
    assert [p.group.codes[0] for p in session.accepted().missing] == ["DFX2"]
    session.settle()
    assert verdicts(session) == "p"
    session.decide(ids(session), ACCEPTED)
    session.write()
    assert (root / "a.py").read_text() == "import torch\none = dos = 0\n"


def test_what_is_accepted_is_so_whatever_else_is_not(plant: Plant, review: Review) -> None:
    session = review(plant(a=TEXT))
    session.decide(ids(session), ACCEPTED)
    session.decide(ids(session, "DFX1")[:1], REJECTED)
    session.settle()
    assert verdicts(session) == "aaa"
    assert [p.group.codes[0] for p in session.state.rejected] == ["DFX1"]


def test_a_decision_in_two_files_is_one_proposal(plant: Plant, review: Review) -> None:
    root = plant(a="import torch\nimport b\nboth = 1\n", b="import torch\nboth = 2\n")
    session = review(root)
    (one,) = session.state.proposals
    assert all(hunk.proposals == (one.id,) for f in session.state.files for hunk in f.hunks)
    session.decide([one.id], ACCEPTED)
    assert len(session.write().changes) == 2


def test_an_unknown_id_is_an_error(plant: Plant, review: Review) -> None:
    with pytest.raises(KeyError):
        review(plant(a=TEXT)).decide(["no such thing"], ACCEPTED)


def test_files_that_changed_meanwhile_are_named_and_not_written(
    plant: Plant, review: Review
) -> None:
    root = plant(a=TEXT, b=TEXT)
    session = review(root)
    assert session.changed_files() == ()
    session.decide(ids(session), ACCEPTED)
    (root / "a.py").write_text("import torch\n")
    assert session.changed_files() == (str(root / "a.py"),)
    report = session.write()
    assert [error.reason for error in report.errors] == [
        "not written: it was changed in the meantime"
    ]
    assert (root / "a.py").read_text() == "import torch\n"
    assert "zwei" in (root / "b.py").read_text()


# -- from one run to the next -------------------------------------------------------------------


def test_the_next_session_goes_on(
    plant: Plant, review: Review, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = plant(a=TEXT)
    session = review(root, store=Store([root]))
    assert session.resumed == 0
    session.decide(ids(session, "DFX1"), ACCEPTED)
    session.decide(ids(session, "DFX2"), REJECTED)
    monkeypatch.chdir(root)  # the same folder by another name
    again = review(Path(), store=Store([Path()]))
    assert (verdicts(again), again.resumed) == ("aprap", 3)
    assert not again.state.is_settled
    again.decide(ids(again), PENDING)
    assert not Store([root]).location.exists()


def test_what_was_said_of_a_file_that_changed_is_forgotten(plant: Plant, review: Review) -> None:
    root = plant(a=TEXT, b=TEXT)
    session = review(root, store=Store([root]))
    session.decide(ids(session), ACCEPTED)
    (root / "a.py").write_text(TEXT + "\n")
    assert verdicts(review(root, store=Store([root]))) == "pppppaaaaa"


def test_a_change_while_the_review_lasts_is_noticed_by_the_next(
    plant: Plant, review: Review
) -> None:
    root = plant(a=TEXT)
    session = review(root, store=Store([root]))
    (root / "a.py").write_text(TEXT + "\n")
    session.decide(ids(session), ACCEPTED)
    assert verdicts(review(root, store=Store([root]))) == "ppppp"


def test_of_what_was_written_rejections_are_kept(plant: Plant, review: Review) -> None:
    root = plant(a="import torch\none = two = 0\ntwo = 1\n", b=TEXT)
    session = review(root, store=Store([root]))
    one, built_on_it, two, other, *_ = ids(session)
    session.decide([one], ACCEPTED)
    session.decide([built_on_it, two, other], REJECTED)
    session.write()
    assert (root / "a.py").read_text() == "import torch\neins = two = 0\ntwo = 1\n"
    again = review(root, store=Store([root]))
    assert verdicts(again) == "rrrppppp"
    again.settle()
    again.decide(ids(again), ACCEPTED)
    assert len(again.write().changes) == 2


def test_what_was_said_of_a_file_that_was_not_written_is_kept(plant: Plant, review: Review) -> None:
    root = plant(a=TEXT, b=TEXT)
    session = review(root, store=Store([root]))
    session.decide(ids(session), ACCEPTED)
    (root / "b.py").write_text("import torch\n")
    assert [error.path for error in session.write().errors] == [str(root / "b.py")]
    (root / "b.py").write_text(TEXT)
    assert verdicts(review(root, store=Store([root]))) == "aaaaa"


def test_it_is_kept_for_its_owner_only(plant: Plant, review: Review, state_folder: Path) -> None:
    root = plant(a=TEXT)
    session = review(root, store=Store([root]))
    session.decide(ids(session), ACCEPTED)
    location = Store([root]).location
    assert location.is_relative_to(state_folder)
    assert stat.S_IMODE(location.stat().st_mode) == 0o600
    assert stat.S_IMODE(location.parent.stat().st_mode) == 0o700
    assert list(location.parent.iterdir()) == [location]


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"[]", b"{}", b'{"format": 99}', b'{"format": 1, "accepted": [[1, 2]]}'),
        b"[" * 5_000,
        b'{"format": 1, "accepted": [], "rejected": [[["x", "y", Infinity]]]}',
    ],
)
def test_a_damaged_review_is_an_error_that_names_the_way_out(
    plant: Plant, review: Review, content: bytes
) -> None:
    root = plant(a=TEXT)
    store = Store([root])
    store.location.parent.mkdir(parents=True)
    store.location.write_bytes(content)
    with pytest.raises(ReviewError, match=r"cannot read .*\.json: .*--start-over"):
        review(root, store=store)
    store.forget()
    assert verdicts(review(root, store=store)) == "ppppp"


def test_no_place_to_keep_it_is_an_error(plant: Plant, review: Review, state_folder: Path) -> None:
    root = plant(a=TEXT)
    session = review(root, store=Store([root]))
    state_folder.write_text("in the way")
    with pytest.raises(ReviewError, match="cannot save the decisions"):
        session.decide(ids(session), ACCEPTED)
