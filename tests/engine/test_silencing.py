"""The comment that takes a finding out stands where it counts, and harms nothing."""

from __future__ import annotations

import ast

import pytest

from devicefix.engine.silencing import silenced
from devicefix.engine.suppression import suppressed
from devicefix.findings import Finding, Span
from devicefix.source import Source

CASES = {
    "x = here()\n": "x = here()  # devicefix: ignore[DFX1]\n",
    "x = here()": "x = here()  # devicefix: ignore[DFX1]",
    "x = (here(),\n  1)\r\n": "x = (here(),  # devicefix: ignore[DFX1]\n  1)\r\n",
    'x = here("""\n"""), 1\n': 'x = here("""\n"""), 1  # devicefix: ignore[DFX1]\n',
    "x = here() + \\\n  1\n": "x = here() + \\\n  1  # devicefix: ignore[DFX1]\n",
    "for x in here():\n    pass\n": "for x in here():  # devicefix: ignore[DFX1]\n    pass\n",
    "def f():\n\treturn here()\n": "def f():\n\treturn here()  # devicefix: ignore[DFX1]\n",
    "x = here()  # type: ignore\n": "x = here()  # type: ignore  # devicefix: ignore[DFX1]\n",
    "x = here()  # devicefix: ignore[DFX2]\n": "x = here()  # devicefix: ignore[DFX2, DFX1]\n",
    "x = here()  # devicefix: ignore[]\n": "x = here()  # devicefix: ignore[DFX1]\n",
    "x = (here(),\n  1)  # Devicefix:ignore [ DFX2 ]\n": (
        "x = (here(),\n  1)  # Devicefix:ignore [ DFX2 , DFX1]\n"
    ),
    'é = "😀\f"; x = here()\n': 'é = "😀\f"; x = here()  # devicefix: ignore[DFX1]\n',
    'x = here("# devicefix: ignore[DFX2]")\n': (
        'x = here("# devicefix: ignore[DFX2]")  # devicefix: ignore[DFX1]\n'
    ),
}


def found(source: Source) -> Finding:
    node = next(
        node
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call) and source.segment(node).startswith("here(")
    )
    return Finding("DFX1", "rule", "message", source.path, source.span(node), 1, 1)


@pytest.mark.parametrize(("before", "after"), CASES.items())
def test_the_comment_counts(before: str, after: str) -> None:
    source = Source.from_text(before)
    edit = silenced(source, found(source))
    assert edit is not None
    assert source.apply([edit]) == after
    new = Source.from_text(after)
    finding = found(new)
    assert suppressed([finding], new) == {finding}


def test_no_line_can_have_one() -> None:
    source = Source.from_text('x = here("""\n' + '"""\\\n)')
    edit = silenced(source, found(source))
    assert edit is not None
    assert source.apply([edit]).endswith(")  # devicefix: ignore[DFX1]")
    broken = Source.from_text("x = here(\n")
    assert silenced(broken, Finding("DFX1", "r", "m", broken.path, Span(4, 5), 1, 5)) is None
