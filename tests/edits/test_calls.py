"""Keywords replaced and removed; methods replaced."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from devicefix.edits import (
    EditError,
    remove_keyword,
    remove_method,
    replace_keyword,
    replace_method,
)
from devicefix.edits.gaps import own_parentheses
from devicefix.findings import Edit
from devicefix.source import Source


def first_call(source: Source) -> ast.Call:
    return next(node for node in ast.walk(source.tree) if isinstance(node, ast.Call))


@pytest.mark.parametrize(
    ("before", "value", "after"),
    [
        ("f(device='cuda')", "d", "f(device=d)"),
        ("f(a, device = 'cuda', b=1)", "d", "f(a, device = d, b=1)"),
        ("f(device=('cuda'))", "d", "f(device=d)"),
        ("f(device=(\n  'cuda'  # c\n))", "d", "f(device=(\n  d  # c\n))"),
        ("f(device=x if y else z)", "d", "f(device=d)"),
        ("f(device=d)", "x if y else z", "f(device=x if y else z)"),
        ("f(device=d)", "a, b", "f(device=(a, b))"),
        ("f(device=d)", "(a, b)", "f(device=(a, b))"),
    ],
)
def test_replace_keyword(before: str, value: str, after: str, apply: Callable[..., str]) -> None:
    assert apply(before, lambda s: replace_keyword(s, first_call(s), "device", value)) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(k=1)", "f()"),
        ("f( k=1, )", "f()"),
        ("f(\n    k=1,\n)", "f()"),
        ("f(\n    k=1,  # c\n)", "f(\n      # c\n)"),
        ("f(a, k=1)", "f(a)"),
        ("f(a, k=1,)", "f(a,)"),
        ("f(a, k=(1))", "f(a)"),
        ("f((a), k=1)", "f((a))"),
        ("f(a, k=1, b=2)", "f(a, b=2)"),
        ("f(k=1, b=2)", "f(b=2)"),
        ("f(k=1, **b)", "f(**b)"),
        ("f(*a, k=1)", "f(*a)"),
        ("f(\n    a,\n    k=1,\n    b=2,\n)", "f(\n    a,\n    b=2,\n)"),
        ("f(\n    a,\n    k=1,  # k\n    b=2,\n)", "f(\n    a,\n    b=2,\n)"),
        ("f(\n    k=1,\n    # b\n    b=2,\n)", "f(\n    # b\n    b=2,\n)"),
        ("f(\n    a,\n    k=1,\n)", "f(\n    a,\n)"),
        ("f(\n    a,  # a\n    k=1,\n)", "f(\n    a,  # a\n)"),
        ("f(\n    a,  # a\n    k=1  # k\n)", "f(\n    a,  # a  # k\n)"),
        ("f(\n    a,  # a\n    k=1)", "f(\n    a,  # a\n    )"),
        ("f(\r\n\ta,\r\n\tk=1)", "f(\r\n\ta)"),
    ],
)
def test_remove_keyword(before: str, after: str, apply: Callable[..., str]) -> None:
    assert apply(before, lambda s: remove_keyword(s, first_call(s), "k")) == after


def test_a_keyword_that_is_not_there() -> None:
    source = Source.from_text("f(**k)\n")
    for rewrite in (remove_keyword, lambda *a: replace_keyword(*a, "1")):
        with pytest.raises(EditError, match="no keyword 'k'"):
            rewrite(source, first_call(source), "k")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x.cuda()", "x.to(d)"),
        ("x.cuda(1, non_blocking=True)", "x.to(d)"),
        ("f(y).x.cuda()", "f(y).x.to(d)"),
        ("x \\\n  .cuda()", "x \\\n  .to(d)"),
        ("(x\n  .cuda  ()\n  .float())", "(x\n  .to(d)\n  .float())"),
        ("(x.  # c\n  cuda())", "(x.  # c\n  to(d))"),
        ("x.cuda(\n    1\n)", "x.to(d)"),
        ("x.cuda(  # why\n)", "x.to(d  # why\n)"),
        ("x.cuda(\n    1,  # the second\n)", "x.to(\n    d,  # the second\n)"),
        ("x.cuda('#')", "x.to(d)"),
        ("[x.cuda() for x in y]", "[x.to(d) for x in y]"),
        ("{'a': x.cuda()}", "{'a': x.to(d)}"),
        ("f'{x.cuda()} {x.cuda()}'", "f'{x.to(d)} {x.to(d)}'"),
        ("(y := x.cuda())", "(y := x.to(d))"),
        ("lambda: x.cuda()", "lambda: x.to(d)"),
    ],
)
def test_replace_method(before: str, after: str, apply: Callable[..., str]) -> None:
    def rewrite(source: Source) -> list[object]:
        calls = [n for n in ast.walk(source.tree) if isinstance(n, ast.Call)]
        named = [c for c in calls if isinstance(c.func, ast.Attribute) and c.func.attr == "cuda"]
        return [replace_method(source, call, "to(d)") for call in named]

    assert apply(before, rewrite) == after


@pytest.mark.parametrize(
    "text", ["(x.cuda)()", "cuda()", "x.cuda(\n  1,  # a\n  2)", "f'{x.cuda()=}'"]
)
def test_methods_that_are_not_replaced(text: str) -> None:
    source = Source.from_text(text)
    with pytest.raises(EditError):
        replace_method(source, first_call(source), "to(d)")


def test_a_method_in_parentheses_is_not_removed() -> None:
    source = Source.from_text("(x.cuda)()")
    with pytest.raises(EditError, match="not a method"):
        remove_method(source, first_call(source))


def test_both_methods_of_a_chain_in_one_round() -> None:
    source = Source.from_text("x.cuda().y.cuda()\n")
    calls = [n for n in ast.walk(source.tree) if isinstance(n, ast.Call)]
    edits = [replace_method(source, call, "to(d)") for call in calls]
    with pytest.raises(ValueError, match="overlapping"):
        source.apply([*edits, Edit(0, 18, 0, "")])
    assert source.apply(edits) == "x.to(d).y.to(d)\n"


def test_parentheses_of_calls_and_classes_group_nothing() -> None:
    source = Source.from_text("class C((A)): pass\nf((b))\nf((c),)\n(d)(1)\nf(k=(e))\n")
    names = {n.id: n for n in ast.walk(source.tree) if isinstance(n, ast.Name)}
    assert {name: len(own_parentheses(source, names[name])) for name in "Abcde"} == {
        "A": 1,
        "b": 1,
        "c": 1,
        "d": 1,
        "e": 1,
    }
    plain = Source.from_text("class C(A): pass\nf(b)\nf(*c)\nf(x for x in d)\nf(g(e))\n")
    names = {n.id: n for n in ast.walk(plain.tree) if isinstance(n, ast.Name)}
    assert all(own_parentheses(plain, names[name]) == [] for name in "Abcde")
