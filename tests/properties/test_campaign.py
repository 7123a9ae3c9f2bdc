"""Campaigns go on where they stopped, and show the smallest program that fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.properties import campaign
from tests.properties.campaign import Batch, Failure, Journal
from tests.properties.checking import Violation
from tests.properties.choices import Choices
from tests.properties.programs import generate
from tests.properties.shrinking import shrunk


def test_the_same_number_is_the_same_program() -> None:
    draws: list[int] = []
    program = generate(Choices.seeded(7).recorded(draws))
    assert program.text == generate(Choices.seeded(7)).text
    assert program.text == generate(Choices.replayed(draws)).text
    assert program.text != generate(Choices.seeded(8)).text


def test_what_is_not_needed_to_fail_is_left_out() -> None:
    assert shrunk((4, 0, 9, 3, 1, 7, 2, 5), lambda draws: 9 in draws and 7 in draws) == (9, 7)


def test_a_journal_knows_what_is_missing_at_this_revision(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    failure = Failure(12, (Violation("not stable", "x"),))
    Journal(path, "a").add(Batch(range(10, 20), 1, (failure,)), ["text"])
    assert list(Journal(path, "a").missing(range(5, 25))) == [range(5, 10), range(20, 25)]
    assert list(Journal(path, "b").missing(range(5, 25))) == [range(5, 25)]


def test_failures_are_told_with_their_number_and_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    failure = Failure(2, (Violation("not stable", "x"),))
    found = [Batch(range(3), 1, (failure,))]
    monkeypatch.setattr(campaign, "batches", lambda numbers, folder: found)
    path = tmp_path / "journal.jsonl"
    assert campaign.run(range(3), Journal(path, "a"), shrink=False) == 1
    told = capsys.readouterr().out
    assert "--- 2: not stable: x" in told
    assert generate(Choices.seeded(2)).text in told
    assert "3 programs, 1 of them none, 1 failures (1 not stable)" in told
    monkeypatch.setattr(campaign, "batches", lambda numbers, folder: pytest.fail("done already"))
    assert campaign.run(range(3), Journal(path, "a"), shrink=False) == 1
