"""A keyword more, in every layout of a call."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from devicefix.edits import EditError, add_keyword, append_call
from devicefix.findings import Edit
from devicefix.source import Source

LAYOUTS = [
    ("f()", "f(device=d)"),
    ("f( )", "f( device=d)"),
    ("f(a)", "f(a, device=d)"),
    ("f(a,)", "f(a, device=d,)"),
    ("f(a, )", "f(a, device=d, )"),
    ("f( a )", "f( a, device=d )"),
    ("f(3,4)", "f(3,4,device=d)"),
    ("f(3, 4)", "f(3, 4, device=d)"),
    ("f(3, 4,  5)", "f(3, 4,  5, device=d)"),
    ("f(\n    a,\n    b\n)", "f(\n    a,\n    b,\n    device=d\n)"),
    ("f(\n    a,\n    b,\n)", "f(\n    a,\n    b,\n    device=d,\n)"),
    ("f(\n    a,  # c\n    b,  # d\n)", "f(\n    a,  # c\n    b,  # d\n    device=d,\n)"),
    ("f(\n    a,  # c\n    b  # d\n)", "f(\n    a,  # c\n    b,  # d\n    device=d\n)"),
    ("f(\n    a,\n    # own line\n)", "f(\n    a,\n    # own line\n    device=d,\n)"),
    ("f(\n    3\n)", "f(\n    3,\n    device=d\n)"),
    ("f(\n    3  # three\n)", "f(\n    3,  # three\n    device=d\n)"),
    ("f(\n    a, b,\n    c\n)", "f(\n    a, b,\n    c, device=d\n)"),
    ("f(\n    a, b  # c\n)", "f(\n    a, b, device=d  # c\n)"),
    ("f(a,\n  b)", "f(a,\n  b,\n  device=d)"),
    ("f(a, b,\n  c)", "f(a, b,\n  c, device=d)"),
    ("f(\n    a, b)", "f(\n    a, b, device=d)"),
    ("f(\r\n\ta,\r\n\tb,\r\n\t)", "f(\r\n\ta,\r\n\tb,\r\n\tdevice=d,\r\n\t)"),
    ("f(\ra,\rb\r)", "f(\ra,\rb,\rdevice=d\r)"),
    ("f(a, \\\n  b)", "f(a, \\\n  b, device=d)"),
    ("f(**k)", "f(device=d, **k)"),
    ("f(a, **k)", "f(a, device=d, **k)"),
    ("f(a, *b, **k)", "f(a, *b, device=d, **k)"),
    ("f(\n    a,  # c\n    **k,\n)", "f(\n    a,  # c\n    device=d,\n    **k,\n)"),
    ("f(**k, a=1)", "f(**k, a=1, device=d)"),
    ("f(*a)", "f(*a, device=d)"),
    ("f(*a, # c\n)", "f(*a, device=d, # c\n)"),
    ("f(x for x in y)", "f((x for x in y), device=d)"),
    ("f(\n  x for x in y\n)", "f((\n  x for x in y\n), device=d)"),
    ("f((x for x in y))", "f((x for x in y), device=d)"),
    ("f(dtype = t)", "f(dtype = t, device = d)"),
    ("f(lambda: x)", "f(lambda: x, device=d)"),
    ("f(device=None)", "f(device=d)"),
    ("f(\n    device = (None),  # c\n    b=1,\n)", "f(\n    device = d,  # c\n    b=1,\n)"),
    ("f((y := 3))", "f((y := 3), device=d)"),
    ("(f)(a)", "(f)(a, device=d)"),
    ("f(b)(a)", "f(b)(a, device=d)"),
    ("f  (a)", "f  (a, device=d)"),
    ("f(  # (\n)", "f(  # (\ndevice=d)"),
    ("f(')', \"(\")", "f(')', \"(\", device=d)"),
    ("f(a)  # )", "f(a, device=d)  # )"),
    ("f('''\n''', '\u2028')", "f('''\n''', '\u2028', device=d)"),
    ("f(a[1:2, ...], {**b}, -1)", "f(a[1:2, ...], {**b}, -1, device=d)"),
    ("f(await_, not x)", "f(await_, not x, device=d)"),
]


def first_call(source: Source) -> ast.Call:
    """The call that the first statement is, or assigns."""
    (statement, *_) = source.tree.body
    assert isinstance(statement, ast.Expr | ast.Assign)
    assert isinstance(statement.value, ast.Call)
    return statement.value


@pytest.mark.parametrize(("before", "after"), LAYOUTS, ids=[text for text, _ in LAYOUTS])
@pytest.mark.parametrize("around", ["{}\n", "é = {}", "if True:\n    pass\né = {}\n"])
def test_layouts(before: str, after: str, around: str, apply: Callable[..., str]) -> None:
    def rewrite(source: Source) -> Edit:
        calls = [n for n in ast.walk(source.tree) if isinstance(n, ast.Call)]
        # The outermost call comes first.
        return add_keyword(source, calls[0], "device", "d")

    assert apply(around.format(before), rewrite) == around.format(after)


@pytest.mark.parametrize("text", ["@f(a)\ndef g(): pass\n", "@f(a)\nclass C: pass\n"])
def test_decorators(text: str, apply: Callable[..., str]) -> None:
    def rewrite(source: Source) -> Edit:
        (call,) = (n for n in ast.walk(source.tree) if isinstance(n, ast.Call))
        return add_keyword(source, call, "device", "d")

    assert apply(text, rewrite) == text.replace("f(a)", "f(a, device=d)")


def test_inside_an_f_string() -> None:
    source = Source.from_text("x = f'{f(a)} {f(a)!r:>{g()}}'\n")
    calls = [n for n in ast.walk(source.tree) if isinstance(n, ast.Call)]
    new = source.apply([add_keyword(source, call, "k", "1") for call in calls])
    assert new == "x = f'{f(a, k=1)} {f(a, k=1)!r:>{g(k=1)}}'\n"
    with pytest.raises(EditError, match="f-string"):
        add_keyword(source, calls[0], "k", "'cuda'")
    printed = Source.from_text("x = f'{f(a)=}'\n")
    (call,) = (n for n in ast.walk(printed.tree) if isinstance(n, ast.Call))
    with pytest.raises(EditError, match="f-string"):
        add_keyword(printed, call, "k", "1")


def test_a_keyword_that_is_there_is_not_added_again() -> None:
    source = Source.from_text("f(device=a)\n")
    with pytest.raises(EditError, match="already"):
        add_keyword(source, first_call(source), "device", "d")


def test_a_value_that_is_no_expression() -> None:
    source = Source.from_text("f(a)\n")
    with pytest.raises(EditError, match="libcst"):
        add_keyword(source, first_call(source), "device", "d d")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(a)", "f(a, x=1, y=2)"),
        ("f(a,)", "f(a, x=1, y=2,)"),
        ("f(\n  a,\n)", "f(\n  a,\n  x=1,\n  y=2,\n)"),
        ("f(\n  a\n)", "f(\n  a,\n  x=1,\n  y=2\n)"),
        ("f(**k)", "f(x=1, y=2, **k)"),
    ],
)
def test_two_keywords_in_one_round(before: str, after: str) -> None:
    source = Source.from_text(before)
    call = first_call(source)
    edits = [add_keyword(source, call, "x", "1"), add_keyword(source, call, "y", "2")]
    assert source.apply(edits) == after


def test_two_keywords_for_an_empty_call_need_two_rounds() -> None:
    source = Source.from_text("f()")
    call = first_call(source)
    edits = [add_keyword(source, call, "x", "1"), add_keyword(source, call, "y", "2")]
    with pytest.raises(ValueError, match="overlapping"):
        source.apply(edits)


@pytest.mark.parametrize("text", ["f(a)", "f(\n  a,\n)", "f(\n  a  # c\n)", "f(-a)", "f(a, b)"])
def test_a_new_argument_stands_behind_what_an_argument_gets(text: str) -> None:
    source = Source.from_text(text)
    call = first_call(source)
    edits = [
        add_keyword(source, call, "k", "1"),
        *append_call(source, call.args[-1], ".t()"),
        *append_call(source, call, ".u()"),
    ]
    new = ast.parse(source.apply(edits)).body[0]
    last = ast.unparse(call.args[-1])
    last = f"({last})" if last.startswith("-") else last
    others = [ast.unparse(a) for a in call.args[:-1]]
    assert ast.unparse(new) == f"f({', '.join([*others, f'{last}.t()', 'k=1'])}).u()"


def test_what_libcst_takes_for_wrong_is_refused() -> None:
    """``yield*(a,)`` is Python; libcst wants a blank there."""
    source = Source.from_text("def g():\n    f((yield*(a,)))\n")
    call = next(n for n in ast.walk(source.tree) if isinstance(n, ast.Call))
    with pytest.raises(EditError, match="libcst cannot read the call"):
        add_keyword(source, call, "device", "d")
