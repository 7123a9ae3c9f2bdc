"""Calls that give way to an argument, statements that do nothing."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from devicefix.edits import (
    EditError,
    passing,
    put_inside,
    read_item,
    rename_keyword,
    replace_argument,
)
from devicefix.edits.unwrapping import unwrap, without_pairs, without_statement
from devicefix.source import Source

Apply = Callable[..., str]


def call_in(source: Source) -> ast.Call:
    """The first call of ``V``."""
    calls = [n for n in ast.walk(source.tree) if isinstance(n, ast.Call)]
    return next(c for c in calls if ast.unparse(c.func) == "V")


@pytest.mark.parametrize(
    ("before", "suffix", "after"),
    [
        ("x = V(y)\n", "", "x = y\n"),
        ("x = V(a + b).c()\n", "", "x = (a + b).c()\n"),
        ("x = V(a + b) * c\n", "", "x = (a + b) * c\n"),
        ("x = V((a + b)) * c\n", "", "x = (a + b) * c\n"),
        ("x = V(a + b)\n", "", "x = a + b\n"),
        ("f(V(a + b), 1)\n", "", "f(a + b, 1)\n"),
        ("x = V(a if b else c)\n", ".d()", "x = (a if b else c).d()\n"),
        ("x = V(y, r=False)\n", ".d()", "x = y.d()\n"),
        ("x = V(\n    y,\n)\n", "", "x = y\n"),
        ("x = V(y\n      + z)\n", "", "x = (y\n     + z)\n"),
        ("x = V(f(1,\n        2))\n", "", "x = f(1,\n      2)\n"),
        ("x = V(f(\n    1))\n", "", "x = f(\n    1)\n"),
        ("x = V(f('''a\n         b'''))\n", "", "x = f('''a\n         b''')\n"),
        ("x = f'{V(y)}'\n", "", "x = f'{y}'\n"),
        ("return_ = V(not a)\n", "", "return_ = not a\n"),
        ("x = -V(a ** b)\n", "", "x = -(a ** b)\n"),
    ],
)
def test_a_call_gives_way(before: str, suffix: str, after: str) -> None:
    source = Source.from_text(before)
    call = call_in(source)
    assert source.apply(unwrap(source, call, call.args[0], suffix)) == after


@pytest.mark.parametrize("text", ["x = V(  # why\n    y)\n", "x = V(*y)\n", "x = V(y := 1)\n"])
def test_a_call_that_stays(text: str) -> None:
    source = Source.from_text(text)
    call = call_in(source)
    with pytest.raises(EditError):
        unwrap(source, call, call.args[0])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a\nx = x\nb\n", "a\nb\n"),
        ("a\nx = x  # why\nb\n", "a\n# why\nb\n"),
        ("if a:\n    x = x\nc\n", "c\n"),
        ("if a:\n    if not a.b:\n        x = x\nc\n", "c\n"),
        ("a; x = x\n", "a\n"),
        ("x = x; a  # why\n", "a  # why\n"),
        ("if a: b; x = x\n", "if a: b\n"),
        ("if a():\n    x = x\n", "if a():\n    pass\n"),
        ("if a:  # why\n    x = x\n", "if a:  # why\n    pass\n"),
        ("if a:\n    x = x\nelse:\n    b\n", "if a:\n    pass\nelse:\n    b\n"),
        ("if a:\n    b\nelse:\n    x = x\nc\n", "if a:\n    b\nc\n"),
        ("if a:\n    b\nelif c:\n    x = x\n", "if a:\n    b\nelif c:\n    pass\n"),
        ("if a: b\nelse: x = x\n", "if a: b\n"),
        ("if a: b\nelse: x = x  # same\n", "if a: b\nelse: pass  # same\n"),
        ("import torch\nwith torch.no_grad():\n    x = x\nb\n", "import torch\nb\n"),
        ("with a:\n    x = x\nb\n", "with a:\n    pass\nb\n"),
    ],
)
def test_a_statement_that_does_nothing_goes(before: str, after: str) -> None:
    source = Source.from_text(before)
    (found,) = [n for n in ast.walk(source.tree) if isinstance(n, ast.Assign)]
    edit = without_statement(source, found)
    assert source.apply([passing(source, [edit]).get(edit, edit)]) == after


@pytest.mark.parametrize(
    ("before", "gone", "after"),
    [
        ("a, b = c, d\n", [0], "b = d\n"),
        ("a, b = c, d\n", [1], "a = c\n"),
        ("a, b, e = c, d, f\n", [1], "a, e = c, f\n"),
        ("(a, b) = (c, d)\n", [0], "(b) = (d)\n"),
        ("a, b, e, g = c, (d), f, h\n", [0, 2], "b, g = (d), h\n"),
        ("a, b = \\\n    c, \\\n    d\n", [0], "b = \\\n    d\n"),
        ("a, (b) = c, d\n", [0], "(b) = d\n"),
        ("(a), (b.x), e = c, d, f\n", [1], "(a), e = c, f\n"),
    ],
)
def test_pairs_go(before: str, gone: list[int], after: str) -> None:
    source = Source.from_text(before)
    (found,) = source.tree.body
    assert isinstance(found, ast.Assign)
    assert source.apply(without_pairs(source, found, gone)) == after


def test_an_item_is_read() -> None:
    source = Source.from_text("a = (b + c).data[0]\n")
    tree = next(n for n in ast.walk(source.tree) if isinstance(n, ast.Subscript))
    base = next(n for n in ast.walk(tree) if isinstance(n, ast.BinOp))
    assert source.apply(read_item(source, tree, base)) == "a = (b + c).item()\n"


def test_arguments_get_other_names() -> None:
    source = Source.from_text("V(1, old=(2), last=3)\n")
    call = call_in(source)
    edits = [
        rename_keyword(source, call, "last", "new"),
        replace_argument(source, call, call.keywords[0].value, "b=0"),
        replace_argument(source, call, call.args[0], "a=0"),
    ]
    assert source.apply(edits) == "V(a=0, b=0, new=3)\n"
    with pytest.raises(EditError, match="no keyword"):
        rename_keyword(source, call, "nothing", "new")


def test_statements_go_inside() -> None:
    source = Source.from_text("if a:\n    b()\n    c()\n")
    (statement,) = source.tree.body
    assert isinstance(statement, ast.If)
    made = put_inside(source, statement.body[1:], "with d:")
    assert source.apply(e for edits in made for e in edits) == (
        "if a:\n    b()\n    with d:\n        c()\n"
    )


@pytest.mark.parametrize("written", ["\uff41b", "\ufb01le", "a"])
def test_names_are_renamed_as_they_are_written(written: str) -> None:
    source = Source.from_text(f"V(**k, {written} =a)\n")
    call = call_in(source)
    known = call.keywords[1].arg or ""
    assert source.apply([rename_keyword(source, call, known, "new")]) == "V(**k, new =a)\n"
