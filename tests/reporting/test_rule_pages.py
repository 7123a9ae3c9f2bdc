"""Findings link to the page of their rule, in every format that can carry a link."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Final

import pytest

from devicefix.engine import check
from devicefix.reporting import formats, rule_pages, text
from devicefix.reporting.account import Account
from devicefix.reporting.catalogue import rules_json
from devicefix.reporting.rule_pages import page_of, page_of_code
from devicefix.settings import Settings

SITE: Final = "https://docs.example.org/devicefix"
PAGE: Final = f"{SITE}/rules/DFX201/"


@pytest.fixture
def account(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Account:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text("import torch\n\nmodel = torch.nn.Linear(2, 2).cuda()\n")
    monkeypatch.setenv("DEVICEFIX_DOCS_URL", f"{SITE}/")
    return Account(check([Path()], Settings()), "check")


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_each_report_has_the_page(account: Account) -> None:
    (found,) = json.loads(formats.render(account, "json"))["findings"]
    assert found["url"] == PAGE
    (run,) = json.loads(formats.render(account, "sarif"))["runs"]
    assert [rule["helpUri"] for rule in run["tool"]["driver"]["rules"]] == [PAGE]
    assert f" {PAGE}\n" in formats.render(account, "github")
    assert f"| [DFX201]({PAGE}) | cuda" in formats.render(account, "markdown")
    assert f'"url":"{PAGE}"' in formats.render(account, "html")


def test_a_terminal_gets_a_hyperlink(account: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    out = _Terminal()
    text.show_check(account.report, out)
    before, _, after = out.getvalue().partition(f";{PAGE}\x1b\\")
    assert before.rpartition("\x1b]8;id=")[1]
    assert "DFX201\x1b[0m\x1b]8;;\x1b\\" in after
    assert PAGE not in after


def test_verbose_text_spells_it_out(account: Account) -> None:
    out = io.StringIO()
    text.show_check(account.report, out, detail=text.Detail.VERBOSE)
    assert out.getvalue().count(PAGE) == 1
    assert f"\nDFX201  {PAGE}\n" in out.getvalue()
    out = io.StringIO()
    text.show_check(account.report, out)
    assert PAGE not in out.getvalue()


def test_without_a_site_there_is_no_link(account: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEVICEFIX_DOCS_URL")
    monkeypatch.setattr(rule_pages, "_sites", dict)
    assert page_of_code("DFX201") is None
    assert "url" not in json.loads(formats.render(account, "json"))["findings"][0]
    assert "http" not in formats.render(account, "github")


@pytest.mark.parametrize("bad", ["javascript:alert(1)", "https://x/\x1b[2J", "https://a b", ""])
def test_what_is_no_web_address_is_no_link(monkeypatch: pytest.MonkeyPatch, bad: str) -> None:
    monkeypatch.setenv("DEVICEFIX_DOCS_URL", bad)
    assert page_of_code("DFX201") is None


def test_the_distribution_of_a_rule_names_its_site(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = rule_pages._rules()["DFX201"]
    monkeypatch.setattr(rule_pages, "_sites", lambda: {"codemods": "https://example.org/docs"})
    assert page_of(rule) == "https://example.org/docs/rules/DFX201/"
    (shown,) = json.loads(rules_json([rule]))["rules"]
    assert shown["url"] == "https://example.org/docs/rules/DFX201/"
    monkeypatch.setattr(rule, "__module__", "others.rule")
    monkeypatch.setenv("DEVICEFIX_DOCS_URL", SITE)
    assert page_of(rule) is None
