"""Suffixes and replacements, with parentheses where, and only where, precedence needs them."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from devicefix.edits import EditError, append_call, replace_expression
from devicefix.source import Source

WRAPPED = [
    ("a", "a.t()"),
    ("a.b", "a.b.t()"),
    ("a[0]", "a[0].t()"),
    ("a[1:2, 3]", "a[1:2, 3].t()"),
    ("f(a)", "f(a).t()"),
    ("[a]", "[a].t()"),
    ("[i for i in j]", "[i for i in j].t()"),
    ("(i for i in j)", "(i for i in j).t()"),
    ("{}", "{}.t()"),
    ("'a' 'b'", "'a' 'b'.t()"),
    ("f'{a}'", "f'{a}'.t()"),
    ("None", "None.t()"),
    ("1", "(1).t()"),
    ("1.5", "(1.5).t()"),
    ("1j", "(1j).t()"),
    ("-1", "(-1).t()"),
    ("a + b", "(a + b).t()"),
    ("(a + b)", "(a + b).t()"),
    ("((a + b))", "((a + b).t())"),
    ("(a)", "(a.t())"),
    ("a ** b", "(a ** b).t()"),
    ("a @ b", "(a @ b).t()"),
    ("not a", "(not a).t()"),
    ("a and b", "(a and b).t()"),
    ("a < b", "(a < b).t()"),
    ("a if b else c", "(a if b else c).t()"),
    ("lambda: a", "(lambda: a).t()"),
    ("(a := b)", "(a := b).t()"),
    ("a, b", "(a, b).t()"),
    ("(a, b)", "(a, b).t()"),
    ("(a), b", "((a), b).t()"),
    ("((a), (b))", "((a), (b)).t()"),
    ("()", "().t()"),
    ("*a, b", "(*a, b).t()"),
    ("(\n  a +  # )\n  b\n)", "(\n  a +  # )\n  b\n).t()"),
    ("(  # (\n  a + b  # )\n)", "(  # (\n  a + b  # )\n).t()"),
    ("a + \\\n  b", "(a + \\\n  b).t()"),
    ("(a\r\n + b\r\n)", "(a\r\n + b\r\n).t()"),
]


@pytest.mark.parametrize(("before", "after"), WRAPPED, ids=[text for text, _ in WRAPPED])
@pytest.mark.parametrize("around", ["é = {}", "return {}\n", "for é in {}: pass\n", "x += {};y"])
def test_append(before: str, after: str, around: str, apply: Callable[..., str]) -> None:
    def rewrite(source: Source) -> object:
        (statement, *_) = source.tree.body
        value = statement.iter if isinstance(statement, ast.For) else statement.value  # type: ignore[attr-defined]
        return append_call(source, value, ".t()")

    assert apply(around.format(before), rewrite) == around.format(after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(a + b)", "f((a + b).t())"),
        ("f((a + b))", "f((a + b).t())"),
        ("f((a + b),)", "f((a + b).t(),)"),
        ("f(k=a + b)", "f(k=(a + b).t())"),
        ("f(*a + b)", "f(*(a + b).t())"),
        ("f(\n  a + b  # c\n)", "f(\n  (a + b).t()  # c\n)"),
        ("f'{a + b!r:>{w}}'", "f'{(a + b).t()!r:>{w}}'"),
        ("f(x)[a + b]", "f(x)[(a + b).t()]"),
        ("x if a + b else y", "x if (a + b).t() else y"),
        ("[a + b for x in y if z]", "[(a + b).t() for x in y if z]"),
        ("lambda x=a + b: x", "lambda x=(a + b).t(): x"),
        ("c if(a + b)else d", "c if(a + b).t()else d"),
    ],
)
def test_append_inside(before: str, after: str, apply: Callable[..., str]) -> None:
    def rewrite(source: Source) -> object:
        (sum_,) = (n for n in ast.walk(source.tree) if isinstance(n, ast.BinOp))
        return append_call(source, sum_, ".t()")

    assert apply(before, rewrite) == after


def test_a_generator_that_shares_its_parentheses(apply: Callable[..., str]) -> None:
    def rewrite(source: Source) -> object:
        (node,) = (n for n in ast.walk(source.tree) if isinstance(n, ast.GeneratorExp))
        return append_call(source, node, ".t()")

    assert apply("f(i for i in j)", rewrite) == "f((i for i in j).t())"
    assert apply("f(\n  i for i in j  # c\n)", rewrite) == "f(\n  (i for i in j).t()  # c\n)"


def test_suffixes_of_one_expression_keep_their_ranks() -> None:
    source = Source.from_text("y = -x\n")
    value = source.tree.body[0].value  # type: ignore[attr-defined]
    edits = [*append_call(source, value, ".to(d)", 10), *append_call(source, value, ".float()", 0)]
    assert source.apply(edits) == "y = (-x).float().to(d)\n"
    assert source.apply(edits + edits) == "y = (-x).float().to(d)\n"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("a = 1", ast.Name),
        ("del a", ast.Name),
        ("f(*a)", ast.Starred),
        ("a[1:2]", ast.Slice),
        ("a[1:2, 3]", ast.Tuple),
        ("match x:\n    case A.b: pass", ast.Attribute),
        ("x = f'{-a=}'", ast.UnaryOp),
    ],
)
def test_what_is_no_value_is_not_touched(text: str, kind: type[ast.expr]) -> None:
    source = Source.from_text(text)
    node = next(node for node in ast.walk(source.tree) if isinstance(node, kind))
    for rewrite in (append_call, replace_expression):
        with pytest.raises(EditError):
            rewrite(source, node, ".t()" if rewrite is append_call else "x")


REPLACED = [
    ("f('c')", "d", "f(d)"),
    ("f(('c'))", "d", "f(d)"),
    ("x = ('c')", "d", "x = d"),
    ("x = (\n  'c'\n)", "d", "x = (\n  d\n)"),
    ("x = ('c'  # c\n)", "d", "x = (d  # c\n)"),
    ("return'c'", "d", "return d"),
    ("return('c')", "d", "return d"),
    ("x = y if'c'else z", "d", "x = y if d else z"),
    ("x = 'c'if y else z", "d", "x = d if y else z"),
    ("x = 'c'", "a if b else c", "x = a if b else c"),
    ("x = 'c' + y", "a if b else c", "x = (a if b else c) + y"),
    ("x = 'c'.y", "a + b", "x = (a + b).y"),
    ("x = 'c'.y", "1", "x = (1).y"),
    ("x = y['c']", "a + b", "x = y[a + b]"),
    ("x = 'c'[y]", "a + b", "x = (a + b)[y]"),
    ("x = ('c') + y", "a + b", "x = (a + b) + y"),
    ("f('c')", "a, b", "f((a, b))"),
    ("f('c')", "(a, b)", "f((a, b))"),
    ("f('c')", "(a if b else c)", "f((a if b else c))"),
    ("f(*'c')", "a if b else c", "f(*(a if b else c))"),
    ("f(k='c')", "a if b else c", "f(k=a if b else c)"),
    ("def f(x='c'): pass", "a if b else c", "def f(x=a if b else c): pass"),
    ("[x for x in 'c']", "a if b else c", "[x for x in (a if b else c)]"),
    ("-('c')", "d", "-d"),
    ("f('c')", "a.\nb", "f((a.\nb))"),
    ("f(('c'))", "a.\r\nb + c", "f((a.\r\nb + c))"),
]


@pytest.mark.parametrize(("before", "text", "after"), REPLACED, ids=[c[0] for c in REPLACED])
def test_replace(before: str, text: str, after: str, apply: Callable[..., str]) -> None:
    def rewrite(source: Source) -> object:
        (node,) = (
            n for n in ast.walk(source.tree) if isinstance(n, ast.Constant) and n.value == "c"
        )
        return replace_expression(source, node, text)

    assert apply(before, rewrite) == after


@pytest.mark.parametrize(
    "text", ["", "a b", "x = 1", "pass", "*a", "a\nb", " a", "x for x in y", "a\n) + (b"]
)
def test_texts_that_are_no_expression(text: str) -> None:
    source = Source.from_text("f(a)\n")
    with pytest.raises(EditError, match="not an expression"):
        replace_expression(source, source.tree.body[0].value, text)  # type: ignore[attr-defined]


@pytest.mark.parametrize("text", ["'a'", '"a"', "f('\\n')"])
def test_texts_that_older_pythons_refuse_inside_f_strings(text: str) -> None:
    source = Source.from_text("f'''{a}''' \"\"\n")
    (name,) = (n for n in ast.walk(source.tree) if isinstance(n, ast.Name))
    with pytest.raises(EditError, match="f-string"):
        replace_expression(source, name, text)


@pytest.mark.parametrize("text", ["lambda: 0", "a or (lambda: 0)", "{a}", "{a: b}"])
def test_what_would_read_as_a_part_of_an_f_string_gets_parentheses(text: str) -> None:
    for before in ("f'{a}'\n", "f'{a, a}'\n"):
        source = Source.from_text(before)
        name = next(n for n in ast.walk(source.tree) if isinstance(n, ast.Name))
        after = source.apply([replace_expression(source, name, text)])
        assert ast.unparse(ast.parse(text)) in ast.unparse(ast.parse(after))
