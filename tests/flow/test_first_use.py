"""When a file may first run one of its functions."""

from __future__ import annotations

import ast

import pytest

from devicefix.flow.first_use import uses
from devicefix.flow.ir import Bodies
from devicefix.source import Source


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("f()", [3]),
        ("x = 1", []),
        ("g = f\ng()", [3]),
        ("def g():\n    f()", []),
        ("def g():\n    f()\ng()", [5]),
        ("def g():\n    f = 1\n    f()\ng()", []),  # another one
        ("def g(a=f):\n    pass", [3]),
        ("@f\ndef g():\n    pass", [3]),
        ("class A(f):\n    pass", []),
        ("class A:\n    x = f()", [3]),
        ("class A:\n    def g(self):\n        f()\nprint(1)\nA()", [7]),
        ("g = lambda: f()", [3]),
        ("xs = (f(x) for x in y)", [3]),
        ("xs = [f for f in y]", []),
    ],
)
def test_where_it_is_named(text: str, lines: list[int]) -> None:
    source = Source.from_text(f"def f(x=0):\n    pass\n{text}\n", "a.py")
    bodies = source.once(Bodies)
    body = bodies.of(source.tree)
    found = uses(bodies, body, source.tree.body[0], {})
    nodes = [body.blocks[number].ops[at].node for number, at in found]
    assert [getattr(node, "lineno", 0) for node in nodes if isinstance(node, ast.AST)] == lines
