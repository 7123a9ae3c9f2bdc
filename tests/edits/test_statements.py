"""New statements beside old ones, whatever shares the line."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from devicefix.edits import (
    EditError,
    append_call,
    assign_statement,
    insert_after,
    insert_at_body_start,
    insert_before,
    passing,
    remove_statement,
)
from devicefix.source import Source


def statement_named(source: Source, name: str) -> ast.stmt:
    """The statement that is, or starts with, this name; else the last of the module."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Name):
            if node.value.id == name:
                return node
        elif isinstance(node, ast.FunctionDef) and node.name == name:
            return node
    return source.tree.body[-1]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a\n", "a\nn = 1\n"),
        ("a", "a\nn = 1"),
        ("a # c", "a # c\nn = 1"),
        ("a  # c\n# d\nb\n", "a  # c\nn = 1\n# d\nb\n"),
        ("a\r\nb\r\n", "a\r\nn = 1\r\nb\r\n"),
        ("a\rb\r", "a\rn = 1\rb\r"),
        ("x\ra\nb\r", "x\ra\nn = 1\rb\r"),
        ("a;\n", "a;\nn = 1\n"),
        ("a ; # c\n", "a ; # c\nn = 1\n"),
        ("a; b\n", "a; n = 1; b\n"),
        ("b; a\n", "b; a\nn = 1\n"),
        ("b; \\\n  a\n", "b; \\\n  a\nn = 1\n"),
        ("(\n  b); a\n", "(\n  b); a\nn = 1\n"),
        ("a; \\\n  b\n", "a; n = 1; \\\n  b\n"),
        ("a \\\n\nb\n", "a \\\n\nn = 1\nb\n"),
        ("if x: a\n", "if x: a; n = 1\n"),
        ("if x: a  # c", "if x: a; n = 1  # c"),
        ("if x: b; a\n", "if x: b; a; n = 1\n"),
        ("if x: \\\n  a\n", "if x: \\\n  a; n = 1\n"),
        ("if x:  # c \\\n  a\n", "if x:  # c \\\n  a\n  n = 1\n"),
        ("if x:\n    a\n", "if x:\n    a\n    n = 1\n"),
        ("if x:\n\ta\nelse:\n\tb\n", "if x:\n\ta\n\tn = 1\nelse:\n\tb\n"),
        ("if x: pass\nelse: a\n", "if x: pass\nelse: a; n = 1\n"),
        ("try:\n  x\nexcept E:\n  a\n", "try:\n  x\nexcept E:\n  a\n  n = 1\n"),
        ("try: x\nfinally:\n  a", "try: x\nfinally:\n  a\n  n = 1"),
        ("match x:\n case 1:\n  a\n", "match x:\n case 1:\n  a\n  n = 1\n"),
        ("match x:\n case 1: a\n", "match x:\n case 1: a; n = 1\n"),
        ("class C:\n  if x:\n    a\n  b\n", "class C:\n  if x:\n    a\n    n = 1\n  b\n"),
        ("def a():\n    x\n\n\ny\n", "def a():\n    x\nn = 1\n\n\ny\n"),
        ("@d\ndef a(): x\n", "@d\ndef a(): x\nn = 1\n"),
        ("\x0ca\n", "\x0ca\nn = 1\n"),
        ("if x:\n \x0c  a\n", "if x:\n \x0c  a\n  n = 1\n"),
        ("x = '''\n'''\n", "x = '''\n'''\nn = 1\n"),
        ("x = (1 + # c\n  2)  # d\n", "x = (1 + # c\n  2)  # d\nn = 1\n"),
    ],
)
def test_insert_after(before: str, after: str, apply: Callable[..., str]) -> None:
    assert apply(before, lambda s: insert_after(s, statement_named(s, "a"), "n = 1")) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a", "n = 1\na"),
        ("x\n# c\na\n", "x\n# c\nn = 1\na\n"),
        ("@d\n# c\n@e\ndef a(): pass\n", "n = 1\n@d\n# c\n@e\ndef a(): pass\n"),
        ("@ (d)\ndef a(): pass\n", "n = 1\n@ (d)\ndef a(): pass\n"),
        ("b; a\n", "b; n = 1; a\n"),
        ("a; b\n", "n = 1\na; b\n"),
        ("if x: a\n", "if x: n = 1; a\n"),
        ("if x:\r\n\ta\r\n", "if x:\r\n\tn = 1\r\n\ta\r\n"),
        ("b\n\x0ca\n", "b\nn = 1\n\x0ca\n"),
    ],
)
def test_insert_before(before: str, after: str, apply: Callable[..., str]) -> None:
    assert apply(before, lambda s: insert_before(s, statement_named(s, "a"), "n = 1")) == after


@pytest.mark.parametrize("insert", [insert_after, insert_before])
def test_elif_is_no_statement(insert: Callable[..., object]) -> None:
    source = Source.from_text("if a:\n    b\nelif c:\n    d\n")
    chain = source.tree.body[0]
    assert isinstance(chain, ast.If)
    with pytest.raises(EditError, match="elif"):
        insert(source, chain.orelse[0], "n = 1")


@pytest.mark.parametrize("text", ["if x: pass", "a = 1\nb = 2", "a = 1  # c", "a b"])
@pytest.mark.parametrize("insert", [insert_after, insert_before])
def test_what_cannot_share_a_line(insert: Callable[..., object], text: str) -> None:
    source = Source.from_text("if x: a\n")
    with pytest.raises(EditError):
        insert(source, statement_named(source, "a"), text)


def test_several_lines_get_the_indentation_and_the_line_ends(apply: Callable[..., str]) -> None:
    text = "if n:\n    m = 1\n\no = 2\n"
    new = apply("if x:\r\n\ta\r\n", lambda s: insert_after(s, statement_named(s, "a"), text))
    assert new == "if x:\r\n\ta\r\n\tif n:\r\n\t    m = 1\r\n\r\n\to = 2\r\n"


@pytest.mark.parametrize("end", ["\n", ""])
def test_blocks_that_end_together_get_theirs_inside_out(
    end: str, apply: Callable[..., str]
) -> None:
    def rewrite(source: Source) -> object:
        outer = source.tree.body[0]
        assert isinstance(outer, ast.For)
        inner = outer.body[0]
        assert isinstance(inner, ast.For)
        return [
            insert_after(source, outer, "o"),
            insert_after(source, inner, "m"),
            insert_after(source, inner.body[0], "i"),
        ]

    text = "for a in b:\n    for c in d:\n        e"
    assert apply(text + end, rewrite) == text + "\n        i\n    m\no" + end


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("for x in y:\n    z\n", "for x in y:\n    n = 1\n    z\n"),
        ("for x in y:  # : c\n    # d\n    z\n", "for x in y:  # : c\n    n = 1\n    # d\n    z\n"),
        ("for x in y:\n\n    z\n", "for x in y:\n    n = 1\n\n    z\n"),
        ("for x in (y  # :\n):\n\tz", "for x in (y  # :\n):\n\tn = 1\n\tz"),
        ("while x[1:2]:\r\n  y\r\n", "while x[1:2]:\r\n  n = 1\r\n  y\r\n"),
        ("with a as b, c as (d):\n  e\n", "with a as b, c as (d):\n  n = 1\n  e\n"),
        ("with (a as b, c):\n  e\n", "with (a as b, c):\n  n = 1\n  e\n"),
        ("if a:\n  b\nelif c:\n  d\n", "if a:\n  n = 1\n  b\nelif c:\n  d\n"),
        ("try:\n  a\nfinally:\n  b\n", "try:\n  n = 1\n  a\nfinally:\n  b\n"),
        ("class C(\n  A,\n):\n  x\n", "class C(\n  A,\n):\n  n = 1\n  x\n"),
        ("def f():\n  'd'\n  x\n", "def f():\n  'd'\n  n = 1\n  x\n"),
        ("def f():\n  'd'", "def f():\n  'd'\n  n = 1"),
        ("def f():\n  'd'; x\n", "def f():\n  'd'; n = 1; x\n"),
        (
            "@d\ndef f(a: int = {1: 2}, # : c\n  b=':') -> 'x:y':\n  z\n",
            "@d\ndef f(a: int = {1: 2}, # : c\n  b=':') -> 'x:y':\n  n = 1\n  z\n",
        ),
        (
            "async def f():\n  @d\n  class A: pass\n",
            "async def f():\n  n = 1\n  @d\n  class A: pass\n",
        ),
        ("def f(a=lambda: 1, *, b=x[:]):\n  z\n", "def f(a=lambda: 1, *, b=x[:]):\n  n = 1\n  z\n"),
        ("if f'{x:>3}':\n  z\n", "if f'{x:>3}':\n  n = 1\n  z\n"),
    ],
)
def test_insert_at_body_start(before: str, after: str, apply: Callable[..., str]) -> None:
    assert apply(before, lambda s: insert_at_body_start(s, s.tree.body[0], "n = 1")) == after


@pytest.mark.parametrize("text", ["for x in y: z\n", "def f(): 'd'\n", "if x: \\\n  y\n"])
def test_bodies_on_the_line_of_the_header(text: str) -> None:
    source = Source.from_text(text)
    assert insert_at_body_start(source, source.tree.body[0], "n = 1") is None


def test_a_statement_without_a_body() -> None:
    source = Source.from_text("x\n")
    with pytest.raises(EditError, match="no body"):
        insert_at_body_start(source, source.tree.body[0], "n = 1")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x.to(d)\n", "x = x.to(d)\n"),
        ("if y: x.to(d); z", "if y: x = x.to(d); z"),
        ("(x.to(d))  # c\n", "x = (x.to(d))  # c\n"),
        ("é; x.to(\n  d)\n", "é; x = x.to(\n  d)\n"),
    ],
)
def test_assign(before: str, after: str, apply: Callable[..., str]) -> None:
    def rewrite(source: Source) -> object:
        (call,) = (
            n
            for n in ast.walk(source.tree)
            if isinstance(n, ast.Expr) and isinstance(n.value, ast.Call)
        )
        return assign_statement(source, call, "x")

    assert apply(before, rewrite) == after


def test_everything_at_one_offset(apply: Callable[..., str]) -> None:
    def rewrite(source: Source) -> object:
        first, second = source.tree.body
        assert isinstance(second, ast.Expr)
        return [
            *append_call(source, second.value, ".t()"),
            assign_statement(source, second, "x"),
            insert_before(source, second, "before"),
            insert_after(source, first, "after"),
            insert_after(source, second, "last"),
        ]

    assert apply("a\n-x", rewrite) == "a\nafter\nbefore\nx = (-x).t()\nlast"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a\nx\nb\n", "a\nb\n"),
        ("a\n\nx\n\nb\n", "a\n\nb\n"),
        ("a\nx\n\nb\n", "a\n\nb\n"),
        ("x\n\nb\n", "b\n"),
        ("def f():\n    a\n    x\n", "def f():\n    a\n"),
        ("a\r\nx\r\nb\r\n", "a\r\nb\r\n"),
        ("a\nx", "a\n"),
        ("a; x\n", "a\n"),
        ("x; a\n", "a\n"),
        ("a; x; b  # c\n", "a; b  # c\n"),
        ("a; \\\n  x;\n", "a;\n"),
        ("if a: x; b\n", "if a: b\n"),
        ("if a: b; x\n", "if a: b\n"),
    ],
)
def test_a_statement_goes(before: str, after: str, apply: Callable[..., str]) -> None:
    assert apply(before, lambda s: remove_statement(s, named(s))) == after


@pytest.mark.parametrize("text", ["a\nx  # why\n", "def f():\n    x\n", "if a: x\n", "x\n"])
def test_a_statement_that_stays(text: str, apply: Callable[..., str]) -> None:
    with pytest.raises(EditError):
        apply(text, lambda s: remove_statement(s, named(s)))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("if a():\n    x\n    x\nb\n", "if a():\n    pass\nb\n"),
        ("if a == 1:\n    x\n    x\nb\n", "b\n"),
        ("if a():\n    x\n\n    x\n\nb\n", "if a():\n    pass\n\nb\n"),
        ("if a:\n    x\n    b\n    x\n", "if a:\n    b\n"),
        ("if a:\n    b\nelse:\n    x\n    x\n", "if a:\n    b\n"),
        ("for a in b:\n\tb\nelse :\r\n\tx\n\tx\nc\n", "for a in b:\n\tb\nc\n"),
        ("if a:\n    b\nelse:  # c\n    x\n    x\n", "if a:\n    b\nelse:  # c\n    pass\n"),
        ("if a:\n    b\nelif c:\n    x\n    x\n", "if a:\n    b\nelif c:\n    pass\n"),
        ("try:\n\tx\n\tx\nfinally:\n\tx\n\tx\n", "try:\n\tpass\nfinally:\n\tpass\n"),
        ("match a:\n  case 1:\n    x\r\n    x\r\n", "match a:\n  case 1:\n    pass\r\n"),
        ("if a:\n    if b:\n        x\n        x\n", "if a:\n    if b:\n        pass\n"),
        ("def f():\n    'why'\n    x\n", "def f():\n    'why'\n"),
        ("x\nx\n", ""),
    ],
)
def test_of_a_block_that_goes_a_pass_stays(before: str, after: str) -> None:
    source = Source.from_text(before)
    edits = [remove_statement(source, statement) for statement in all_named(source)]
    kept = passing(source, edits)
    assert source.apply([kept.get(edit, edit) for edit in edits]) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("if a:\n    x\n\n\n    b\n", "if a:\n    b\n"),
        ("def f():\r\n\tx\r\n\tx\r\n\r\n\t# c\r\n\tb\r\n", "def f():\r\n\t# c\r\n\tb\r\n"),
        ("if a:\n    b\nelse:  # c\n    x\n \n    b\n", "if a:\n    b\nelse:  # c\n    b\n"),
        ("x\n\n\nb\n", "b\n"),
        ("'why'\nx\n\nb\n", "'why'\n\nb\n"),
        ("def f():\n    'why'\n    x\n\n    b\n", "def f():\n    'why'\n\n    b\n"),
        ("if a:\n    # c\n    d\n    x\n\n    b\n", "if a:\n    # c\n    d\n\n    b\n"),
        ("if a:\n    x; b\n\n    c\n", "if a:\n    b\n\n    c\n"),
    ],
)
def test_what_a_block_begins_with_goes_with_the_empty_lines(before: str, after: str) -> None:
    source = Source.from_text(before)
    edits = [remove_statement(source, statement) for statement in all_named(source)]
    changed = passing(source, edits)
    assert source.apply([changed.get(edit, edit) for edit in edits]) == after


def test_the_empty_lines_stay_behind_what_comes_in_its_place() -> None:
    source = Source.from_text("if a:\n    x\n\n    b\n")
    first = named(source)
    edits = [remove_statement(source, first), insert_before(source, first, "c")]
    assert not passing(source, edits)


def test_a_block_that_gets_another_statement_needs_no_pass() -> None:
    source = Source.from_text("if a:\n    x\n    x\n")
    first, second = all_named(source)
    edits = [remove_statement(source, first), remove_statement(source, second)]
    assert not passing(source, [*edits, insert_before(source, second, "b")])


def all_named(source: Source) -> list[ast.stmt]:
    """All statements ``x``."""
    return [n for n in source.of_type(ast.Expr) if ast.unparse(n) == "x"]


def named(source: Source) -> ast.stmt:
    """The statement ``x``."""
    return next(
        n for n in ast.walk(source.tree) if isinstance(n, ast.Expr) and ast.unparse(n) == "x"
    )
