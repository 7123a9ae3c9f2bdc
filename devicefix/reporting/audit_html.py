"""An audit as one page: no script, nothing from the network, everything escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from devicefix.audit.result import HOURS, Audit, Category
from devicefix.reporting.counting import hours_text
from devicefix.reporting.static_page import escaped, static_page

_MOST: Final = 500
"""Rows of a category; the JSON has them all."""
_NOTE: Final = "Effort: items times hours each. The hours are assumptions, not measurements."


def render(audit: Audit) -> str:
    """The counts with the formula, the files that matter most, and every item by category."""
    share = "nothing to do" if audit.share is None else f"{audit.share * 100:.0f}% automatic"
    facts = {
        "items": len(audit.items),
        "files checked": audit.checked,
        "automatic": "none" if audit.share is None else f"{audit.share * 100:.0f}%",
        "effort": f"{hours_text(audit.hours)} hours",
    }
    told = "".join(f"<div><dt>{k}</dt><dd>{escaped(v)}</dd></div>" for k, v in facts.items())
    parts = (
        f"<h1>Readiness for {escaped(audit.target)}: {share}</h1>",
        f'<dl class="facts">{told}</dl>',
        _categories(audit),
        _files(audit),
        "<h2>All items</h2>" if audit.items else "",
        *(_items(audit, category) for category in Category),
        _errors(audit),
    )
    return static_page(f"Readiness for {audit.target}", filter(None, parts))


def _categories(audit: Audit) -> str:
    rows = [
        (category.value, count, f"{HOURS[category]:g}", hours_text(count * HOURS[category]))
        for category, count in audit.counts().items()
    ]
    note = f'<p class="soft">{_NOTE}</p>'
    return _table("Categories", ("Category", "Items", "Hours each", "Hours"), rows) + note


def _files(audit: Audit) -> str:
    rows = [(path, items, hours_text(hours)) for path, items, hours in audit.files()]
    return _table("Files with the most to do", ("File", "Items", "Hours"), rows) if rows else ""


def _items(audit: Audit, category: Category) -> str:
    own = [item for item in audit.items if item.category is category]
    if not own:
        return ""
    rows = [(f"{item.path}:{item.line}", item.what) for item in own[:_MOST]]
    more = f"<p>and {len(own) - _MOST} more</p>" if len(own) > _MOST else ""
    title = f"{category.value} ({len(own)})"
    table = _table("", ("Place", "What"), rows)
    return f"<details><summary>{escaped(title)}</summary>{table}{more}</details>"


def _errors(audit: Audit) -> str:
    if not audit.errors:
        return ""
    rows = "".join(f"<li>{escaped(error)}</li>" for error in audit.errors)
    return f'<div class="error"><h2>Not audited</h2><ul>{rows}</ul></div>'


def _table(title: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Numbers are on the right."""
    shown = [list(row) for row in rows]
    number = [all(_is_number(row[at]) for row in shown) for at in range(len(heads))]
    kinds = [' class="n"' if numeric else "" for numeric in number]
    head = "".join(f"<th{kind}>{escaped(h)}</th>" for kind, h in zip(kinds, heads, strict=True))
    body = "".join(
        "<tr>"
        + "".join(f"<td{kind}>{escaped(v)}</td>" for kind, v in zip(kinds, row, strict=True))
        + "</tr>"
        for row in shown
    )
    above = f"<h2>{escaped(title)}</h2>" if title else ""
    return f'{above}<div class="scroll"><table><tr>{head}</tr>{body}</table></div>'


def _is_number(value: object) -> bool:
    return str(value).removeprefix("< ").replace(".", "", 1).isdigit()
