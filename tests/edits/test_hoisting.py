"""A statement goes in front of an earlier one, or it is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from devicefix.edits import EditError, hoist_statement
from devicefix.findings import Edit
from devicefix.source import Source

Apply = Callable[..., str]


def last_first(source: Source) -> tuple[Edit, ...]:
    """The last statement of the module before the second one; it moves ``m``."""
    return hoist_statement(source, source.tree.body[-1], source.tree.body[1], "m")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("m = 1\no = f(m)\nm.to(d)\n", "m = 1\nm.to(d)\no = f(m)\n"),
        ("m = 1\no = f(m)  # c\nx = 2\n\nm.to(d)\n", "m = 1\nm.to(d)\no = f(m)  # c\nx = 2\n\n"),
        ("m = 1\no = f(m); m.to(d)\n", "m = 1\nm.to(d)\no = f(m)\n"),
        ("m = 1\r\no = f(m)\r\nm = m.to(d)", "m = 1\r\nm = m.to(d)\r\no = f(m)\r\n"),
    ],
)
def test_it_goes_first(apply: Apply, before: str, after: str) -> None:
    assert apply(before, last_first) == after


@pytest.mark.parametrize(
    "text",
    [
        "m = 1\no = f(m)\nd = 2\nm.to(d)\n",
        "m = 1\no = f(m)\nimport d\nm.to(d)\n",
        "m = 1\no = f(m)\ndef d(): pass\nm.to(d)\n",
        "m = 1\no = f(m)\nfor d in x: pass\nm.to(d)\n",
        "m = 1\no = f(m)\nprint(m(x))\nm.to(d)\n",
        "m = 1\no = f(m)\nm = g()\nm.to(d)\n",
        "m = 1\no = f(m)\nm.to(d)  # now\n",
        "m = 1\no = f(m)\nm.to(\n    d)\n",
    ],
)
def test_it_is_refused(text: str) -> None:
    with pytest.raises(EditError):
        last_first(Source.from_text(text))


def test_statements_of_two_blocks_are_refused() -> None:
    source = Source.from_text("o = f(m)\nif x:\n    y\n    m.to(d)\n")
    block = source.tree.body[1].body  # type: ignore[attr-defined]
    with pytest.raises(EditError):
        hoist_statement(source, block[1], source.tree.body[0], "m")
