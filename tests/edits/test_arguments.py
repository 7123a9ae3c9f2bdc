"""First arguments, names for positional ones, stricter conditions; imports from elsewhere."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from devicefix.edits import (
    EditError,
    conjoin,
    import_as,
    import_from,
    insert_argument,
    name_argument,
)
from devicefix.findings import Edit
from devicefix.source import Source

Apply = Callable[..., str]


def first_call(source: Source) -> ast.Call:
    return next(node for node in ast.walk(source.tree) if isinstance(node, ast.Call))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f()", "f(d)"),
        ("f ( )", "f (d)"),
        ("f(a)", "f(d, a)"),
        ("f((a))", "f(d, (a))"),
        ("f( a, b )", "f( d, a, b )"),
        ("f(*a)", "f(d, *a)"),
        ("f(k=1)", "f(d, k=1)"),
        ("f(**k)", "f(d, **k)"),
        ("f(\n    a,  # a\n    k=1,\n)", "f(\n    d,\n    a,  # a\n    k=1,\n)"),
        ("f(\r\n    a)", "f(\r\n    d,\r\n    a)"),
        ("f(  # all\n    a)", "f(  # all\n    d, a)"),
    ],
)
def test_a_new_first_argument(before: str, after: str, apply: Apply) -> None:
    assert apply(before, lambda s: insert_argument(s, first_call(s), "d")) == after


@pytest.mark.parametrize("before", ["f(  # nothing\n)", "f(a for a in b)"])
def test_what_gets_no_first_argument(before: str, apply: Apply) -> None:
    with pytest.raises(EditError):
        apply(before, lambda s: insert_argument(s, first_call(s), "d"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(a)", "f(k=a)"),
        ("f((a), b=1)", "f(k=(a), b=1)"),
        ("f(\n  a  # a\n)", "f(\n  k=a  # a\n)"),
    ],
)
def test_a_name_for_a_positional_argument(before: str, after: str, apply: Apply) -> None:
    assert apply(before, lambda s: name_argument(s, first_call(s), 0, "k")) == after


@pytest.mark.parametrize("before", ["f(*a)", "f(a for a in b)"])
def test_what_cannot_be_named(before: str, apply: Apply) -> None:
    with pytest.raises(EditError):
        apply(before, lambda s: name_argument(s, first_call(s), 0, "k"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(a)", "f(a and c)"),
        ("f(True)", "f(c)"),
        ("f(a or b)", "f((a or b) and c)"),
        ("f(a and b)", "f(a and b and c)"),
        ("f(not a)", "f(not a and c)"),
        ("f(a == b)", "f(a == b and c)"),
        ("f(a if b else d)", "f((a if b else d) and c)"),
        ("f((a or b))", "f(((a or b) and c))"),
    ],
)
def test_a_stricter_condition(before: str, after: str, apply: Apply) -> None:
    assert apply(before, lambda s: conjoin(s, first_call(s).args[0], "c")) == after


def test_a_new_argument_before_one_that_gets_a_name(apply: Apply) -> None:
    def edits(source: Source) -> list[Edit]:
        call = first_call(source)
        return [
            insert_argument(source, call, "d"),
            name_argument(source, call, 0, "k"),
            conjoin(source, call.args[0], "c"),
        ]

    assert apply("f(a or b)", edits) == "f(d, k=(a or b) and c)"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from a.b import x", "from z import x"),
        ("from  a.b import (\n    x,  # x\n)", "from  z import (\n    x,  # x\n)"),
        ("from \\\n  a.b import x", "from \\\n  z import x"),
    ],
)
def test_the_same_names_from_another_module(before: str, after: str, apply: Apply) -> None:
    def edit(source: Source) -> Edit:
        statement = source.tree.body[0]
        assert isinstance(statement, ast.ImportFrom)
        return import_from(source, statement, "z")

    assert apply(before, edit) == after


@pytest.mark.parametrize("before", ["from . import x", "from .a import x", "from a . b import x"])
def test_a_module_that_is_not_written_in_one_piece(before: str, apply: Apply) -> None:
    def edit(source: Source) -> Edit:
        statement = source.tree.body[0]
        assert isinstance(statement, ast.ImportFrom)
        return import_from(source, statement, "z")

    with pytest.raises(EditError):
        apply(before, edit)


@pytest.mark.parametrize(
    ("before", "after"),
    [("import a.b as x", "import z as x"), ("import c, a.b as x", "import c, z as x")],
)
def test_another_module_by_the_same_name(before: str, after: str, apply: Apply) -> None:
    def edit(source: Source) -> Edit:
        statement = source.tree.body[0]
        assert isinstance(statement, ast.Import)
        return import_as(source, statement, statement.names[-1], "z")

    assert apply(before, edit) == after


def test_a_module_without_another_name(apply: Apply) -> None:
    def edit(source: Source) -> Edit:
        statement = source.tree.body[0]
        assert isinstance(statement, ast.Import)
        return import_as(source, statement, statement.names[0], "z")

    with pytest.raises(EditError):
        apply("import a.b", edit)
