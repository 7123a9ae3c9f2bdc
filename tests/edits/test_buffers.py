"""Assignments that become calls of `register_buffer`."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from devicefix.edits import EditError, append_call, register_buffer_edits
from devicefix.source import Source

Apply = Callable[..., str]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("self.a = b\n", 'self.register_buffer("a", b, persistent=False)\n'),
        ("self.a=b", 'self.register_buffer("a", b, persistent=False)'),
        ("self.a  =  b  # c\n", 'self.register_buffer("a",  b, persistent=False)  # c\n'),
        ("self . a = b\n", 'self . register_buffer("a", b, persistent=False)\n'),
        ("self.a = (b\n  + c)\n", 'self.register_buffer("a", (b\n  + c), persistent=False)\n'),
        ("self.a = ((b))\n", 'self.register_buffer("a", ((b)), persistent=False)\n'),
        ("self.a = \\\n  b\n", 'self.register_buffer("a", \\\n  b, persistent=False)\n'),
        ("self.a =\\\n  b\n", 'self.register_buffer("a", \\\n  b, persistent=False)\n'),
        ("self.a = f(\n  b,  # c\n)\n",
         'self.register_buffer("a", f(\n  b,  # c\n), persistent=False)\n'),
        ("self.a = b if c else d", 'self.register_buffer("a", b if c else d, persistent=False)'),
        ("x; self.a = b; y\n", 'x; self.register_buffer("a", b, persistent=False); y\n'),
        ("if x: self.a = b\r\n", 'if x: self.register_buffer("a", b, persistent=False)\r\n'),
        ("self.a = b['c']\n", "self.register_buffer('a', b['c'], persistent=False)\n"),
        ("self.ä = b\n", 'self.register_buffer("ä", b, persistent=False)\n'),
    ],
)  # fmt: skip
def test_the_value_stays_as_it_is_written(apply: Apply, before: str, after: str) -> None:
    assert apply(before, _registered) == after


def _registered(source: Source) -> list[object]:
    (statement,) = [n for n in ast.walk(source.tree) if isinstance(n, ast.Assign)]
    assert isinstance(statement.targets[0], ast.Attribute)
    return list(register_buffer_edits(source, statement, statement.targets[0].attr))


def test_what_is_appended_to_the_value_stays_inside(apply: Apply) -> None:
    def rewrite(source: Source) -> list[object]:
        (statement,) = source.tree.body
        assert isinstance(statement, ast.Assign)
        return [*_registered(source), *append_call(source, statement.value, ".float()")]

    assert apply("self.a = b + c\n", rewrite) == (
        'self.register_buffer("a", (b + c).float(), persistent=False)\n'
    )


@pytest.mark.parametrize("text", ["self.a = self.b = c", "a = b", "(self.a) = b", "self.a = yield"])
def test_other_statements_are_refused(text: str) -> None:
    source = Source.from_text(f"def f():\n    {text}\n")
    (statement,) = [n for n in ast.walk(source.tree) if isinstance(n, ast.Assign)]
    with pytest.raises(EditError):
        register_buffer_edits(source, statement, "a")
