"""Statements below a new condition, contexts that go."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

import pytest

from devicefix.edits import EditError, only_if, put_below, remove_context, runs
from devicefix.findings import Edit
from devicefix.source import Source

Apply = Callable[..., str]


def marked(source: Source) -> list[ast.stmt]:
    """The statements that begin with a call of ``f``."""
    found = [n for n in ast.walk(source.tree) if isinstance(n, ast.Expr)]
    return [n for n in found if isinstance(n.value, ast.Call) and ast.unparse(n.value.func) == "f"]


def below(source: Source) -> Iterator[Edit]:
    for run in runs(source, marked(source)):
        for edits in put_below(source, run, "c"):
            yield from edits


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f()\n", "if c:\n    f()\n"),
        ("f()", "if c:\n    f()"),
        ("a\nf()  # b\nd\n", "a\nif c:\n    f()  # b\nd\n"),
        ("f()\nf()\na\nf()\n", "if c:\n    f()\n    f()\na\nif c:\n    f()\n"),
        ("f()\n\n# b\nf()\n", "if c:\n    f()\n\n    # b\n    f()\n"),
        ("f(\n  a,\n\n  b)\n", "if c:\n    f(\n      a,\n\n      b)\n"),
        ("f('''\na\n''')\n", "if c:\n    f('''\na\n''')\n"),
        ("def g():\n\tf()\n", "def g():\n\tif c:\n\t\tf()\n"),
        ("def g():\n  a\n  f()\n", "def g():\n  a\n  if c:\n    f()\n"),
        (
            "def g():\n        a\nif b:\n    f()\n    d\n",
            "def g():\n        a\nif b:\n    if c:\n        f()\n    d\n",
        ),
        (
            "def g():\n        a\nif b:\n    a\nif d:\n    a\nf()\n",
            "def g():\n        a\nif b:\n    a\nif d:\n    a\nif c:\n    f()\n",
        ),
        ("f()\r\na\r\n", "if c:\r\n    f()\r\na\r\n"),
        ("if a:\n    f()\n", "if a and c:\n    f()\n"),
        ("if a or b: f()\n", "if (a or b) and c: f()\n"),
        ("if a:\n    f()\nelse:\n    b\n", "if a:\n    if c:\n        f()\nelse:\n    b\n"),
        ("if a: b\nelif d:\n    f()\n", "if a: b\nelif d:\n    if c:\n        f()\n"),
        ("if a:\n    b\n    f()\n", "if a:\n    b\n    if c:\n        f()\n"),
        ("a; f()\n", "a\nif c:\n    f()\n"),
        ("f(); a\n", "if c:\n    f()\na\n"),
        ("a; f(); b  # d\n", "a\nif c:\n    f()\nb  # d\n"),
        ("f(); f()  # d\n", "if c:\n    f()\n    f()  # d\n"),
        ("f()\n# d\nf(); a\n", "if c:\n    f()\n    # d\n    f()\na\n"),
        ("a; f(b,\n    d); f()\n", "a\nif c:\n    f(b,\n        d)\n    f()\n"),
        ("a; f('''\nb\n''')\n", "a\nif c:\n    f('''\nb\n''')\n"),
        ("a; \\\n    f()\n", "a\nif c:\n    f()\n"),
        ("def g():\r\n\ta; f(); b\r\n", "def g():\r\n\ta\r\n\tif c:\r\n\t\tf()\r\n\tb\r\n"),
    ],
)
def test_below_a_condition(before: str, after: str, apply: Apply) -> None:
    assert apply(before, below) == after


@pytest.mark.parametrize("text", ["for x in y: f()\n", "if x: a; f()\n", "\\\nf()\n"])
def test_statements_that_no_line_can_be_made_of(text: str, apply: Apply) -> None:
    with pytest.raises(EditError):
        apply(text, below)


@pytest.mark.parametrize(
    ("before", "after"),
    [("f(a)", "f(a if c else -1)"), ("f(a if b else d)", "f((a if b else d) if c else -1)")],
)
def test_a_value_that_depends(before: str, after: str, apply: Apply) -> None:
    def edit(source: Source) -> Edit:
        (statement,) = marked(source)
        assert isinstance(statement, ast.Expr)
        assert isinstance(statement.value, ast.Call)
        return only_if(source, statement.value.args[0], "c", "-1")

    assert apply(before, edit) == after


def removed(source: Source) -> tuple[Edit, ...]:
    """Take ``f()`` out of the with."""
    (statement,) = (n for n in ast.walk(source.tree) if isinstance(n, ast.With))
    (item,) = (i for i in statement.items if ast.unparse(i.context_expr) == "f()")
    return remove_context(source, statement, item)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("with a, f(): b\n", "with a: b\n"),
        ("with f(), a as x:\n    b\n", "with a as x:\n    b\n"),
        ("with a as x, f() , b:\n    d\n", "with a as x, b:\n    d\n"),
        ("with (a, f()):\n    b\n", "with (a):\n    b\n"),
        ("with (\n    a,\n    f(),\n):\n    b\n", "with (\n    a,\n):\n    b\n"),
        ("with f():\n    a\n    b\nd\n", "a\nb\nd\n"),
        ("with f():  # why\n    a\n", "# why\na\n"),
    ],
)
def test_a_context_goes(before: str, after: str, apply: Apply) -> None:
    assert apply(before, removed) == after


@pytest.mark.parametrize(
    "text", ["with (\n    f(),  # why\n    a,\n):\n    b\n", "with f() as x: a\n"]
)
def test_a_context_that_stays(text: str, apply: Apply) -> None:
    with pytest.raises(EditError):
        apply(text, removed)
