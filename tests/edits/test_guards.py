"""An ``if`` taken away from around its body."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from devicefix.edits import replace_method, unguard
from devicefix.source import Source


def guard_of(source: Source) -> ast.If:
    return next(node for node in ast.walk(source.tree) if isinstance(node, ast.If))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("if c:\n    x\n", "x\n"),
        ("if c:\n    x", "x"),
        ("if c: x\n", "x\n"),
        ("if c: x; y  # d", "x; y  # d"),
        ("if c: \\\n  x\n", "x\n"),
        ("if c:\r\n\tx\r\n\ty\r\nz\r\n", "x\r\ny\r\nz\r\n"),
        ("if c:\r  x\r  y\rz\r", "x\ry\rz\r"),
        ("def f():\n  if c:\n    x\n  y\n", "def f():\n  x\n  y\n"),
        ("class A:\n\tif c:\n\t    x\n", "class A:\n\tx\n"),
        ("if c:  # why\n    x\n", "# why\nx\n"),
        ("if (c and\n    d):\n    x\n", "x\n"),
        ("if c:\n\n    # a\n    x\n\n    y\n", "\n# a\nx\n\ny\n"),
        ("if c:\n    x\n    # tail\n\n# next\ny\n", "x\n# tail\n\n# next\ny\n"),
        ("if c:\n    x\n  # odd\ny\n", "x\n  # odd\ny\n"),
        ("if c:\n    x(\n        a,\n  b)\n", "x(\n    a,\n  b)\n"),
        ("if c:\n    x = \\\n        1\n", "x = \\\n    1\n"),
        ("if c:\n    x = '''\n    s\n    '''\n    y\n", "x = '''\n    s\n    '''\ny\n"),
        ("if c:\n    x = 'a\\\n    b'\n", "x = 'a\\\n    b'\n"),
        ("if c:\n    x = f'''\n    {s}\n    '''\n", "x = f'''\n    {s}\n    '''\n"),
        ("if c:\n    x = ('a'\n         'b')\n", "x = ('a'\n     'b')\n"),
        ("if c:\n    if d:\n        x\n    else: y\n", "if d:\n    x\nelse: y\n"),
        ("if c:\n    @d\n    def f(): pass\n", "@d\ndef f(): pass\n"),
        ("if c:  # a \\\n    x\n", "# a \\\nx\n"),
        ("if c:\n    x\nelse:\n    y\nz\n", "x\nz\n"),
        ("if c: x\nelse: y", "x\n"),
    ],
)
def test_unguard(before: str, after: str, apply: Callable[..., str]) -> None:
    assert apply(before, lambda s: unguard(s, guard_of(s))) == after


@pytest.mark.parametrize(
    "text",
    [
        "if c:\n    x\nelse:\n    y  # why\n",
        "if c:\n    x\nelif d:\n    y\n",
        "if (n := c):\n    x\n",
        "if (c  # why\n    ):\n    x\n",
        "async def f():\n    if await c: x\n",
        "if c:\n\x0c    x\n",
    ],
)
def test_guards_that_stay(text: str) -> None:
    source = Source.from_text(text)
    assert unguard(source, guard_of(source)) == ()


def test_an_elif_stays() -> None:
    source = Source.from_text("if c:\n    x\nelif d:\n    y\n")
    (inner,) = guard_of(source).orelse
    assert isinstance(inner, ast.If)
    assert unguard(source, inner) == ()


def test_an_if_inside_else_goes() -> None:
    source = Source.from_text("if c:\n    x\nelse:\n    if d:\n        y\n")
    (inner,) = guard_of(source).orelse
    assert isinstance(inner, ast.If)
    assert source.apply(unguard(source, inner)) == "if c:\n    x\nelse:\n    y\n"


def test_edits_inside_the_body_compose(apply: Callable[..., str]) -> None:
    def rewrite(source: Source) -> object:
        (call,) = (n for n in ast.walk(source.tree) if isinstance(n, ast.Call))
        return [replace_method(source, call, "to(d)"), *unguard(source, guard_of(source))]

    assert apply("if c:\n    x = x.cuda()\n", rewrite) == "x = x.to(d)\n"
