"""What goes wrong around a campaign: disks, clocks, servers, tokens, and what others remove."""

from __future__ import annotations

import os
import shutil
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from devicefix.cli import main
from devicefix.migration import campaign as campaigning
from devicefix.migration import starting
from devicefix.migration.campaign import Campaign, Happening
from devicefix.migration.ledger import Ledger
from devicefix.migration.orders import ChangedFile, Order, Result, Stage
from devicefix.migration.plan import Plan
from devicefix.migration.refusals import CampaignError
from devicefix.pull_requests import (
    LimitedError,
    Outcome,
    OutdatedError,
    PullRequestError,
    UnauthorizedError,
)
from tests.migration.campaigns import CHANGED, PASSING, Played, write_plan
from tests.migration.test_campaign import OPENED, Forge, always, run, states


def kinds(plan: Plan, name: str) -> list[str]:
    """What was written down of a repository."""
    with Ledger.read(plan.database) as ledger:
        return [event for _, event, _, _ in ledger.history(f"forge.example/acme/{name}")]


# ---- the state -----------------------------------------------------------------------------------


def test_a_state_that_is_removed_meanwhile_ends_the_campaign(tmp_path: Path) -> None:
    plan = write_plan(tmp_path, "a", "b")

    def removing(order: Order, stage: Stage) -> Result:
        shutil.rmtree(plan.folder)
        return CHANGED

    with pytest.raises(CampaignError, match=r"campaign\.sqlite was removed"):
        run(plan, removing)
    rows, _ = run(plan, always(CHANGED))
    assert states(rows) == ["rewritten", "rewritten"]


def test_a_full_disk_ends_the_campaign_and_what_was_found_stays(tmp_path: Path) -> None:
    plan = write_plan(tmp_path, "a", "b")
    large = replace(CHANGED, files=(ChangedFile("a.py", os.urandom(500_000), b""),))
    answers: dict[str, Result] = {"a": CHANGED, "b": large}

    def answer(order: Order, stage: Stage) -> Result:
        return answers[order.url[-1]]

    with starting.opened(plan) as ledger:
        pages = ledger._database.execute("PRAGMA page_count").fetchone()[0]
        ledger._database.execute(f"PRAGMA max_page_count = {pages + 20}")
        with pytest.raises(CampaignError, match="database or disk is full"):
            Campaign(plan, ledger, Played(answer), None).run()
    rows, executor = run(plan, answer)
    assert states(rows) == ["rewritten", "rewritten"]
    assert executor.begun == [("b", Stage.REWRITE)]


def test_a_state_that_cannot_be_opened_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = write_plan(tmp_path, "a")
    plan.database.mkdir(parents=True)
    for command in ([], ["status"]):
        assert main(["migrate", *command, str(plan.file)]) == 2
        assert capsys.readouterr().err.startswith("Error: ")


def test_a_workspace_may_hold_what_is_somebody_elses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``workspace = "."``: only what devicefix has made there is removed."""
    pytest.importorskip("github")
    monkeypatch.setenv("GITHUB_TOKEN", "x")
    plan = write_plan(tmp_path, "a")
    theirs = [plan.folder / name for name in ("publish/index.html", "work/order-66/bill.txt")]
    ours = [plan.folder / "work" / f"devicefix-{kind}-x/file" for kind in ("order", "proposal")]
    for file in (*theirs, *ours):
        file.parent.mkdir(parents=True)
        file.touch()
    with starting.opened(plan) as ledger:
        starting.started(plan, ledger, True, lambda happening: None)
    assert [file.exists() for file in (*theirs, *ours)] == [True, True, False, False]


# ---- clocks --------------------------------------------------------------------------------------


def test_a_clock_that_was_set_back_holds_nothing_up_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("devicefix.migration.campaign._LONGEST", 0.05)
    plan = write_plan(tmp_path, "a", "b", campaign="pull-requests-per-hour = 1")
    with starting.opened(plan) as ledger:
        later = ledger._now() + 1e6
        monkeypatch.setattr(ledger, "_now", lambda: later)
        ledger.end(plan.entries[1].key, Stage.REWRITE, CHANGED, proves=False)
        ledger.published(plan.entries[1].key, OPENED, 1.0)
        ledger.put_off(plan.entries[0].key, Stage.REWRITE, "no network", 0.0, later)
    rows, _ = run(plan, always(CHANGED), Forge(OPENED))
    assert states(rows) == ["published", "published"]


# ---- servers -------------------------------------------------------------------------------------


def test_a_base_that_was_put_elsewhere_begins_anew(tmp_path: Path) -> None:
    plan = write_plan(tmp_path, "a")
    forge = Forge(OutdatedError("the checkout is at c, which is not a commit of main"), OPENED)
    rows, executor = run(plan, always(CHANGED), forge)
    assert states(rows) == ["published"]
    assert executor.begun == [("a", Stage.REWRITE)] * 2
    assert "outdated" in kinds(plan, "a")


def test_a_commit_that_is_gone_before_the_proof_begins_anew(tmp_path: Path) -> None:
    plan = write_plan(tmp_path, "a", rest='[defaults]\nverify = "python t.py"')
    gone = replace(PASSING, transient=False, outdated=True, reason="not our ref")
    left = iter([CHANGED, gone, CHANGED, CHANGED])
    rows, executor = run(plan, lambda order, stage: next(left))
    assert states(rows) == ["proven"]
    assert [stage for _, stage in executor.begun] == [Stage.REWRITE, Stage.PROVE] * 2


def test_a_base_that_never_rests_is_given_up(tmp_path: Path) -> None:
    plan = write_plan(tmp_path, "a", campaign="attempts = 2")
    forge = Forge(OutdatedError("it has moved"))
    for _ in range(2):  # `retry` helps, as long as it rests then
        rows, _ = run(plan, always(CHANGED), forge)
        assert (states(rows), rows[0].reason) == (["failed"], "it has moved")
        assert len(forge.asked) == 3
        forge.asked.clear()
        with starting.opened(plan) as ledger:
            starting.retry(plan, ledger, ())
    forge.answers = [OutdatedError("it has moved"), OPENED]
    assert states(run(plan, always(CHANGED), forge)[0]) == ["published"]


def test_limits_of_the_server_are_no_attempts_and_hold_up_all_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(campaigning, "_MOMENT", 0.02)
    plan = write_plan(tmp_path, "a", "b", campaign="attempts = 1")
    forge = Forge(*[LimitedError("GitHub answered 403: rate limit", 0.01)] * 3, OPENED)
    told: list[tuple[str, str]] = []

    def tell(happening: Happening) -> None:
        told.append((happening.kind, happening.row.reason))

    with starting.opened(plan) as ledger:
        Campaign(plan, ledger, Played(always(CHANGED)), forge, tell).run()  # type: ignore[arg-type]
        assert states(ledger.rows()) == ["published", "published"]
    put_off = [reason for kind, reason in told if kind == "postponed"]
    assert len(put_off) == 3
    assert "try again in" in put_off[0]


def test_a_token_that_nobody_knows_stops_publishing_and_fails_nothing(tmp_path: Path) -> None:
    plan = write_plan(tmp_path, "a", "b", "c")
    forge = Forge(UnauthorizedError("GitHub answered 401: Bad credentials"), OPENED)
    with pytest.raises(CampaignError, match=r"Bad credentials.*nothing more was published"):
        run(plan, always(CHANGED), forge)
    assert forge.asked == ["propose acme/a"]
    with Ledger.read(plan.database) as ledger:
        assert states(ledger.rows()) == ["rewritten"] * 3
        assert {row.attempts for row in ledger.rows()} == {0}
    rows, executor = run(plan, always(CHANGED), forge)
    assert (states(rows), executor.begun) == (["published"] * 3, [])


@pytest.fixture
def released() -> Iterator[threading.Event]:
    """What hangs is let go in the end."""
    event = threading.Event()
    yield event
    event.set()


def test_a_server_that_never_answers_holds_up_one_repository_for_its_time(
    tmp_path: Path, released: threading.Event
) -> None:
    plan = write_plan(tmp_path, "a", "b", campaign="timeout = 0.05\nattempts = 1")

    class Hanging(Forge):
        def propose(self, entry: Any, result: Result) -> Outcome:
            if entry.name == "acme/a":
                released.wait()
            return super().propose(entry, result)

    rows, _ = run(plan, always(CHANGED), Hanging(OPENED))
    assert states(rows) == ["failed", "published"]
    assert rows[0].reason == "it took more than 0.05 s to publish"


def test_two_entries_that_turn_out_to_have_one_branch_do_not_fight(tmp_path: Path) -> None:
    main_too = '[[repositories]]\nurl = "https://forge.example/acme/a"\nbase = "main"\n'
    plan = write_plan(tmp_path, "a", rest=main_too)
    rows, _ = run(plan, always(CHANGED), Forge(OPENED))
    assert sorted(states(rows)) == ["failed", "published"]
    (failed,) = (row for row in rows if row.state.value == "failed")
    assert failed.reason.startswith("it has the same branch as acme/a")


def test_a_reason_is_no_book(tmp_path: Path) -> None:
    forge = Forge(PullRequestError("x" * 1_000_000))
    (row,), _ = run(write_plan(tmp_path, "a"), always(CHANGED), forge)
    assert len(row.reason) < 3000


# ---- machines and tokens -------------------------------------------------------------------------


def test_a_system_without_processes_to_bound_is_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = write_plan(tmp_path, "a")
    run(plan, always(CHANGED))
    monkeypatch.setattr(sys, "platform", "darwin")
    assert main(["migrate", str(plan.file)]) == 2
    assert "campaigns run on Linux only" in capsys.readouterr().err
    assert main(["migrate", "status", str(plan.file)]) == 0


@pytest.mark.parametrize("token", ["", " \n", "two words", "a\u2026", "a\x1bb"])
def test_what_is_no_token_is_told_and_not_shown(
    token: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = write_plan(tmp_path, "a")
    monkeypatch.setenv("GITHUB_TOKEN", token)
    assert main(["migrate", str(plan.file), "--open-prs"]) == 2
    said = capsys.readouterr().err
    assert "the environment variable GITHUB_TOKEN" in said
    assert "words" not in said


def test_the_line_end_of_a_file_is_no_part_of_a_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "ghs_x\n")
    assert starting.check_token(write_plan(tmp_path, "a")) == "ghs_x"
