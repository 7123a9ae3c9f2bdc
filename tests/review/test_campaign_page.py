"""The page of a campaign, in a browser."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from devicefix.reporting import campaign_html
from devicefix.reporting.campaign import Repository
from tests.campaigns import PATCHED, SOURCE, campaign, evidence, report_of
from tests.review.conftest import Look, expect, reads

if TYPE_CHECKING:
    from playwright.sync_api import Page

HOSTILE: Final = '<img src=x onerror=alert(1)>\x1b[31m"'
SHOWN: Final = re.compile("U\\+001B")
"""How that name is shown."""


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


def names(page: Page, *expected: str) -> None:
    """Of the repositories that are shown."""
    expect(page.locator(".repo h3")).to_have_text(list(expected))


def test_each_repository_has_a_row_and_all_together_are_summed_up(page: Page) -> None:
    names(page, "a/one", "a/two", SHOWN, "a/four", "a/five")
    tiles = page.locator(".tiles > div > dd:first-child")
    expect(tiles).to_have_text(["5", "1", "1", "1", "1", re.compile(".")])
    reads(page, ".repo .reason >> nth=0", "pull request created")
    link = page.locator(".repo").first.locator(".request a")
    expect(link).to_have_text("#7")
    expect(link).to_have_attribute("href", "https://example.org/a/one/pull/7")
    reads(page, ".banner", "1 repository running")
    expect(page.locator("img")).to_have_count(0)


def test_a_row_opens_on_its_proof_and_its_changes(page: Page) -> None:
    row = page.locator(".repo").first
    expect(row.locator(".details")).to_have_count(0)
    row.locator("button.open").press("Enter")
    expect(row.locator("button.open")).to_have_attribute("aria-expanded", "true")
    expect(row.locator(".proof")).to_contain_text("1,234 values compared")
    new = row.locator("td.c.new")
    expect(new.filter(has_text=PATCHED)).to_have_count(1)
    expect(row.locator("mark")).to_have_text(["cuda(", "to(device"])
    expect(row).to_contain_text("Needs your decision (1)")


def test_filters_by_state_rule_and_text(page: Page) -> None:
    page.locator('[data-state="failed"]').click()
    names(page, SHOWN)
    page.keyboard.press("c")
    expect(page.locator(".repo")).to_have_count(5)
    page.get_by_label("DFX201").check()
    names(page, "a/one", "a/two")
    page.keyboard.press("/")
    page.keyboard.type("TWO")
    names(page, "a/two")
    expect(page.locator("#listhead h2")).to_have_text("1 of 5 repositories")
    page.locator("#search").fill("no such thing")
    expect(page.locator("#empty")).to_be_visible()


def test_order(page: Page) -> None:
    page.get_by_label("Order", exact=True).first.select_option("name")
    names(page, SHOWN, "a/five", "a/four", "a/one", "a/two")
