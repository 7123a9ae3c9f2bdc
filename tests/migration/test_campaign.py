"""The loop: what is begun, in which order, how often, and what a killed one leaves to the next."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from devicefix.migration import schema, starting
from devicefix.migration.campaign import Campaign, Happening
from devicefix.migration.ledger import Ledger
from devicefix.migration.orders import Ending, Order, Result, Stage
from devicefix.migration.plan import Plan
from devicefix.migration.proposing import Proposer
from devicefix.migration.refusals import CampaignError
from devicefix.migration.rows import Row
from devicefix.migration.schema import is_worked_on
from devicefix.migration.states import State
from devicefix.pull_requests import Operation, Outcome, PullRequestError
from tests.migration.campaigns import CHANGED, COMMIT, FAILED, PASSING, Answer, Played, write_plan

NOTHING = Result(Ending.NOTHING, "there is nothing to fix", commit=COMMIT, base="main")


def always(result: Result) -> Answer:
    return lambda order, stage: result


def run(plan: Plan, answer: Answer, proposer: Any = None) -> tuple[list[Row], Played]:
    executor = Played(answer)
    with starting.opened(plan) as ledger:
        Campaign(plan, ledger, executor, proposer).run()
        return ledger.rows(), executor


def states(rows: list[Row]) -> list[str]:
    return [row.state.value for row in rows]


class Forge:
    """Proposes: answers from a list, the last one for ever."""

    def __init__(self, *answers: Outcome | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    def propose(self, entry: Any, result: Result) -> Outcome:
        assert result.files
        return self._next(f"propose {entry.name}")

    def withdraw(self, entry: Any, result: Result) -> Outcome:
        return self._next(f"withdraw {entry.name}")

    def _next(self, asked: str) -> Outcome:
        self.asked.append(asked)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


OPENED = Outcome(Operation.CREATED, "it is new", 7, "https://forge.example/acme/a/pull/7", "d" * 40)
CLOSED = Outcome(Operation.CLOSED, "there is nothing to propose any more", 7)


def test_one_that_is_broken_stops_no_other(tmp_path: Path) -> None:
    plan = write_plan(tmp_path, "a", "b", "c")
    answers = {"a": CHANGED, "b": FAILED, "c": NOTHING}
    rows, executor = run(plan, lambda order, stage: answers[order.url[-1]])
    assert states(rows) == ["rewritten", "failed", "nothing"]
    assert rows[1].reason == "broken"
    assert executor.most == 2
    assert executor.closed


def test_what_is_done_is_not_done_again(tmp_path: Path) -> None:
    plan = write_plan(tmp_path, "a", "b")
    run(plan, always(CHANGED))
    rows, executor = run(plan, always(FAILED))
    assert executor.begun == []
    assert states(rows) == ["rewritten", "rewritten"]


def test_a_proof_gets_what_was_found_and_comes_before_the_next_repository(tmp_path: Path) -> None:
    plan = write_plan(tmp_path, "a", "b", "c", rest='[defaults]\nverify = "python t.py"')
    orders: list[Order] = []

    def answer(order: Order, stage: Stage) -> Result:
        orders.append(order)
        return CHANGED

    rows, executor = run(plan, answer)
    assert states(rows) == ["proven"] * 3
    assert executor.begun.index(("a", Stage.PROVE)) < executor.begun.index(("c", Stage.REWRITE))
    assert {order.commit for order in orders} == {"", COMMIT}


def test_fixes_that_only_a_run_may_prove_are_run(tmp_path: Path) -> None:
    plan = write_plan(tmp_path, "a", rest='[defaults]\nverify = "python t.py"')
    hopeful = Result(Ending.NOTHING, "left as unsafe", worth_proving=True)
    rows, _ = run(plan, lambda o, stage: hopeful if stage is Stage.REWRITE else CHANGED)
    assert states(rows) == ["proven"]


@pytest.mark.parametrize("ending", [Ending.REJECTED, Ending.UNPROVEN])
def test_what_does_not_pass_is_not_proposed(tmp_path: Path, ending: Ending) -> None:
    plan = write_plan(tmp_path, "a", rest='[defaults]\nverify = "python t.py"')
    forge = Forge(OPENED)
    said = Result(ending, "it differs")
    rows, _ = run(plan, lambda o, stage: CHANGED if stage is Stage.REWRITE else said, forge)
    assert (states(rows), forge.asked) == ([ending.value], [])


def test_what_may_pass_is_tried_again_and_not_for_ever(tmp_path: Path) -> None:
    plan = write_plan(tmp_path, "a", "b", campaign="attempts = 3")
    left = {"a": 2, "b": 99}

    def answer(order: Order, stage: Stage) -> Result:
        left[order.url[-1]] -= 1
        return PASSING if left[order.url[-1]] >= 0 else CHANGED

    rows, _ = run(plan, answer)
    assert states(rows) == ["rewritten", "failed"]
    assert left == {"a": -1, "b": 96}


def test_an_interruption_is_no_attempt(tmp_path: Path) -> None:
    plan = write_plan(tmp_path, "a", campaign="attempts = 2")
    for _ in range(5):
        with starting.opened(plan) as ledger:
            ledger.begin(plan.entries[0].key, Stage.REWRITE)  # and then it is killed
    left = iter([PASSING, CHANGED])
    rows, _ = run(plan, lambda order, stage: next(left))
    assert states(rows) == ["rewritten"]
    with starting.opened(plan) as ledger:
        events = [event for _, event, _, _ in ledger.history(plan.entries[0].key)]
    assert events == [*["begun", "interrupted"] * 5, "begun", "postponed", "begun", "rewritten"]


def test_what_will_not_pass_is_tried_once(tmp_path: Path) -> None:
    rows, executor = run(write_plan(tmp_path, "a"), always(FAILED))
    assert executor.begun == [("a", Stage.REWRITE)]
    assert rows[0].failed is Stage.REWRITE


def test_a_dry_campaign_is_published_later(tmp_path: Path) -> None:
    plan = write_plan(tmp_path, "a")
    run(plan, always(CHANGED))
    forge = Forge(OPENED)
    (row,), executor = run(plan, always(FAILED), forge)
    assert (row.state, row.number, row.request_url) == (State.PUBLISHED, 7, OPENED.url)
    assert executor.begun == []
    assert run(plan, always(FAILED), forge)[0] == [row]
    assert forge.asked == ["propose acme/a"]


def test_publishing_is_tried_again_if_that_may_help(tmp_path: Path) -> None:
    passing = PullRequestError("GitHub cannot be reached")
    passing.transient = True
    plan = write_plan(tmp_path, "a", "b")
    forge = Forge(passing, PullRequestError("the branch is protected"), OPENED)
    rows, _ = run(plan, always(CHANGED), forge)
    assert states(rows) == ["published", "failed"]
    assert rows[1].failed is Stage.PUBLISH
    assert forge.asked == ["propose acme/a", "propose acme/b", "propose acme/a"]


def test_a_bug_in_publishing_is_a_failure_of_one(tmp_path: Path) -> None:
    plan = write_plan(tmp_path, "a", "b")
    rows, _ = run(plan, always(CHANGED), Forge(KeyError("x"), OPENED))
    assert states(rows) == ["failed", "published"]
    assert rows[0].reason == "KeyError: 'x'"


@pytest.mark.parametrize("operation", [Operation.KEPT, Operation.DECLINED])
def test_what_people_have_decided_is_left(tmp_path: Path, operation: Operation) -> None:
    rows, _ = run(write_plan(tmp_path, "a"), always(CHANGED), Forge(Outcome(operation, "so")))
    assert states(rows) == ["left"]


def test_the_hourly_limit_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = write_plan(tmp_path, "a", "b", "c", campaign="pull-requests-per-hour = 2")
    monkeypatch.setattr("devicefix.migration.campaign._HOUR", 0.3)
    times: list[float] = []
    forge = Forge(OPENED)
    with starting.opened(plan) as ledger:

        def tell(happening: Happening) -> None:
            if happening.kind == "begun" and happening.stage is Stage.PUBLISH:
                times.append(ledger.row(happening.row.key).updated)

        Campaign(plan, ledger, Played(always(CHANGED)), forge, tell).run()  # type: ignore[arg-type]
    assert len(times) == 3
    assert times[2] - times[0] >= 0.3


def test_retrying(tmp_path: Path) -> None:
    plan = write_plan(tmp_path, "a", "b")
    forge = Forge(PullRequestError("protected"), OPENED)
    run(plan, always(CHANGED), forge)
    with starting.opened(plan) as ledger:
        starting.retry(plan, ledger, ())
        assert states(ledger.rows()) == ["rewritten", "published"]
        with pytest.raises(CampaignError, match="no repository is called acme/x"):
            starting.retry(plan, ledger, ["acme/x"])
    rows, executor = run(plan, always(CHANGED), forge)
    assert (states(rows), executor.begun) == (["published", "published"], [])
    with starting.opened(plan) as ledger:
        starting.retry(plan, ledger, ["acme/b"])
    _, executor = run(plan, always(CHANGED), forge)
    assert executor.begun == [("b", Stage.REWRITE)]


def test_a_pull_request_that_has_become_idle_is_closed_once(tmp_path: Path) -> None:
    plan = write_plan(tmp_path, "a")
    forge = Forge(OPENED, PullRequestError("protected"), CLOSED)
    run(plan, always(CHANGED), forge)
    with starting.opened(plan) as ledger:
        starting.retry(plan, ledger, ["acme/a"])
    assert states(run(plan, always(NOTHING), forge)[0]) == ["failed"]
    with starting.opened(plan) as ledger:
        starting.retry(plan, ledger, ())
    for _ in range(2):
        assert states(run(plan, always(NOTHING), forge)[0]) == ["nothing"]
    assert forge.asked == ["propose acme/a", "withdraw acme/a", "withdraw acme/a"]


def test_a_pull_request_stays_where_a_file_could_not_be_worked_on(tmp_path: Path) -> None:
    plan = write_plan(tmp_path, "a")
    proposer = Proposer(plan, "token", 0, tmp_path)  # forge.example would not answer
    done = proposer.withdraw(plan.entries[0], replace(NOTHING, errors=1))
    assert (done.operation, done.reason) == (
        Operation.UNCHANGED,
        "some files could not be processed",
    )


def test_a_plan_that_says_something_else_begins_anew(tmp_path: Path) -> None:
    run(write_plan(tmp_path, "a", "b"), always(CHANGED))
    plan = write_plan(tmp_path, "a", "b", "c", rest='[defaults]\nselect = ["DFX2"]')
    _, executor = run(plan, always(CHANGED))
    assert len(executor.begun) == 3
    plan = write_plan(tmp_path, "c", rest='[defaults]\nselect = ["DFX2"]\ntimeout = 5')
    rows, executor = run(plan, always(CHANGED))
    assert ([row.name for row in rows], executor.begun) == (["acme/c"], [])


def test_another_branch_is_another_campaign(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("github")
    pytest.importorskip("devicefix.migration.cloning")
    monkeypatch.setenv("GITHUB_TOKEN", "x")
    plan = write_plan(tmp_path, "a")
    with starting.opened(plan) as ledger:
        starting.started(plan, ledger, True, lambda happening: None)
    plan = write_plan(tmp_path, "a", campaign='branch = "other"')
    with starting.opened(plan) as ledger, pytest.raises(CampaignError, match="another name"):
        starting.started(plan, ledger, True, lambda happening: None)


def test_only_one_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.migration.apart import holding

    monkeypatch.setattr(schema, "_PATIENCE", 0.1)
    plan = write_plan(tmp_path, "a")
    assert not is_worked_on(plan.folder)
    with holding(plan.file):
        assert is_worked_on(plan.folder)
        with pytest.raises(CampaignError, match="another process is running this campaign"):
            starting.opened(plan).__enter__()
    with starting.opened(plan):
        pass


def test_results_come_back_as_they_were(tmp_path: Path) -> None:
    plan = write_plan(tmp_path, "a")
    odd = "caf\udce9.py"  # a name of a file that is no UTF-8
    files = (CHANGED.files[0], type(CHANGED.files[0])(odd, b"\0", b"\xff"))
    found = Result(
        Ending.CHANGED, f"of {odd}", commit=COMMIT, base="main", files=files, notes=("a", "b")
    )
    with starting.opened(plan) as ledger:
        ledger.end(plan.entries[0].key, Stage.REWRITE, found, proves=False)
        assert ledger.result(plan.entries[0].key, Stage.REWRITE) == found
        assert ledger.rows()[0].reason == "of caf\\udce9.py"


def test_the_state_can_be_read_while_it_is_written(tmp_path: Path) -> None:
    plan = write_plan(tmp_path, "a")
    with pytest.raises(CampaignError, match="has not started"):
        Ledger.read(plan.database)
    with starting.opened(plan) as ledger:
        ledger.begin(plan.entries[0].key, Stage.REWRITE)
        with Ledger.read(plan.database) as reader:
            assert reader.rows() == ledger.rows()
            with pytest.raises(CampaignError, match="readonly"):
                reader.keep("a", "b")


def test_a_file_of_something_else(tmp_path: Path) -> None:
    plan = write_plan(tmp_path, "a")
    plan.folder.mkdir()
    plan.database.write_text("not a database, but long enough to look like a header of one\n" * 9)
    with pytest.raises(CampaignError, match="cannot be used"):
        starting.opened(plan).__enter__()


class Killed(BaseException):
    """As if the process had ended at this point."""


def test_killed_between_any_two_steps_it_comes_to_the_same_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every transaction is a point at which it may end: before it, and after it."""
    ended: list[Any] = []
    transaction = Ledger._transaction
    for instant in range(60):
        folder = tmp_path / str(instant)
        folder.mkdir()
        plan = write_plan(folder, "a", "b", rest='[defaults]\nverify = "python t.py"')
        forge, left = Forge(OPENED), [instant]

        def killing(ledger: Ledger, left: list[int] = left) -> Any:
            left[0] -= 1
            if left[0] == -1:
                raise Killed
            return transaction(ledger)

        with monkeypatch.context() as patch:
            patch.setattr(Ledger, "_transaction", killing)
            patch.setattr(Ledger, "interrupted", lambda ledger: [])  # nothing is tidied up
            try:
                run(plan, always(CHANGED), forge)
            except Killed:
                pass
            else:
                assert instant > 12
                break
        rows, _ = run(plan, always(CHANGED), forge)
        ended.append([(row.name, row.state, row.number, row.running, row.attempts) for row in rows])
        assert 2 <= len(forge.asked) <= 3
    assert all(one == ended[0] for one in ended)
    assert [one[1] for one in ended[0]] == [State.PUBLISHED, State.PUBLISHED]
