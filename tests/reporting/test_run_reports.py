"""A run as JSON, which keeps to its published schema, and as a page."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from devicefix.engine import remedy
from devicefix.records import Run, read_record
from devicefix.reporting import run_html, run_json
from devicefix.settings import Settings

SCHEMA = json.loads(
    (Path(__file__).resolve().parents[2] / "docs" / "run.schema.json").read_text(encoding="utf-8")
)


def valid(text: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(text)
    jsonschema.Draft202012Validator(SCHEMA).validate(content)
    return content


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_the_json_keeps_to_the_schema(run: Run) -> None:
    assert run.failure is not None
    content = valid(run_json.render(run, remedy(run.failure, Settings())))
    assert content["ending"] == {
        "how": "exited",
        "status": 1,
        "signal": None,
        "seconds": 2.5,
        "megabytes": None,
    }
    assert content["error"]["operands"][0]["variable"] == "inputs"
    assert content["error"]["remedy"]["codes"] == ["DFX103"]
    assert content["share"] == pytest.approx(7680 / 8320)


def test_little_to_say_keeps_to_the_schema(run: Run, record: dict[str, Any]) -> None:
    assert valid(run_json.render(replace(run, records=()), None))["share"] is None
    read = read_record(json.dumps({**record, "error": None}))
    assert valid(run_json.render(replace(run, records=(read,)), None))["error"] is None


def test_the_schema_would_object(run: Run) -> None:
    content = json.loads(run_json.render(run, None))
    with pytest.raises(jsonschema.ValidationError):
        valid(json.dumps({**content, "more": 1}))
    del content["error"]["operands"][0]["created"]
    with pytest.raises(jsonschema.ValidationError):
        valid(json.dumps(content))


class Page(HTMLParser):
    """Checks that tags are closed in their order; keeps the text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.words = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag not in {"meta", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


def page_of(text: str) -> Page:
    page = Page()
    page.feed(text)
    page.close()
    assert page.open == []
    return page


def test_the_page_is_whole_and_needs_no_network(run: Run) -> None:
    assert run.failure is not None
    text = run_html.render(run, remedy(run.failure, Settings()))
    page = page_of(text)
    assert not {"script", "link", "img", "iframe"} & page.tags
    assert not re.search(r"https?://|url\(|@import", text)
    for said in ("92.3%", "inputs = torch.randn(64, 8, device=device)", "DFX103", "0.weight"):
        assert said in page.words


def test_the_page_escapes_what_the_program_says(record: dict[str, Any], run: Run) -> None:
    text = json.dumps(record).replace("inputs", "<script>alert(1)</script>&amp;'")
    read = read_record(text.replace("failing.py", "<img src=x>.py"))
    bad = replace(run, records=(read,), command=("python", "<b>"), device="<i>")
    page = page_of(run_html.render(bad, None))
    assert not {"script", "img", "b"} & page.tags
    assert "<script>alert(1)</script>&amp;'" in page.words


def test_a_page_with_nothing_to_show(run: Run) -> None:
    assert "never imported torch" in page_of(run_html.render(replace(run, records=()), None)).words
