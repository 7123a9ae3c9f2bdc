"""The page of a campaign, in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from devicefix.reporting import campaign_html
from devicefix.reporting.campaign import Repository
from tests.campaigns import PATCHED, SOURCE, campaign, evidence, report_of
from tests.review.conftest import Look

if TYPE_CHECKING:
    from playwright.sync_api import Page

HOSTILE: Final = '<img src=x onerror=alert(1)>\x1b[31m"'


@pytest.fixture
def page(tmp_path: Path, look: Look) -> Page:
    (tmp_path / "a.py").write_text(SOURCE)
    report, url = report_of(tmp_path / "a.py"), "https://example.org/a/one"
    request = {"number": 7, "request_url": f"{url}/pull/7", "operation": "created"}
    request["reason"] = "it is new"
    ones = (
        Repository("a/one", url, "published", report=report, evidence=evidence("pass"), **request),
        Repository("a/two", "/srv/two", "rejected", report=report, evidence=evidence("differs")),
        Repository(HOSTILE, HOSTILE, "failed", reason=HOSTILE, failed="rewrite", attempts=3),
        Repository("a/four", "/srv/four", "waiting", running="rewrite"),
        Repository("a/five", "/srv/five", "new-state"),
    )
    file = tmp_path / "page.html"
    file.write_text(campaign_html.render(campaign(*ones)), encoding="utf-8")
    return look(file.as_uri())


def names(page: Page) -> list[str]:
    return [text.strip() for text in page.locator(".repo h3").all_text_contents()]


def test_each_repository_has_a_row_and_all_together_are_summed_up(page: Page) -> None:
    assert names(page)[:2] == ["a/one", "a/two"]
    tiles = [text.split("\n")[0] for text in page.locator(".tiles > div").all_inner_texts()]
    assert tiles[:5] == ["5", "1", "1", "1", "1"]
    assert page.locator(".repo .reason").first.inner_text() == "pull request created"
    link = page.locator(".repo").first.locator(".request a")
    assert link.inner_text() == "#7"
    assert link.get_attribute("href") == "https://example.org/a/one/pull/7"
    assert "1 repository at work" in page.locator(".banner").inner_text()
    assert page.locator("img").count() == 0
    assert "U+001B" in page.locator(".repo").nth(2).inner_text()


def test_a_row_opens_on_its_proof_and_its_changes(page: Page) -> None:
    row = page.locator(".repo").first
    assert row.locator(".details").count() == 0
    row.locator("button.open").press("Enter")
    assert row.locator("button.open").get_attribute("aria-expanded") == "true"
    assert "1,234 values compared" in row.locator(".proof").inner_text()
    new = row.locator("td.c.new")
    new.first.wait_for()
    assert PATCHED in [text.removeprefix("added: ") for text in new.all_text_contents()]
    assert row.locator("mark").all_text_contents() == ["cuda(", "to(device"]
    assert "Left for a person (1)" in row.inner_text()


def test_filters_by_state_rule_and_text(page: Page) -> None:
    page.locator('[data-state="failed"]').click()
    assert len(names(page)) == 1
    page.keyboard.press("c")
    assert len(names(page)) == 5
    page.get_by_label("DFX201").check()
    assert names(page) == ["a/one", "a/two"]
    page.keyboard.press("/")
    page.keyboard.type("TWO")
    assert names(page) == ["a/two"]
    assert page.locator("#listhead h2").inner_text() == "1 of 5 repositories"
    page.locator("#search").fill("no such thing")
    assert page.locator("#empty").is_visible()


def test_order(page: Page) -> None:
    page.get_by_label("Order", exact=True).first.select_option("name")
    assert [name for name in names(page) if name.startswith("a/")] == [
        "a/five",
        "a/four",
        "a/one",
        "a/two",
    ]
