"""Tree positions to offsets and back, on every layout that Python accepts."""

from __future__ import annotations

import ast

import pytest

from devicefix.findings import Edit, Span
from devicefix.source import Source


def names(source: Source) -> dict[str, str]:
    """What stands where the tree says that each name is."""
    nodes = [node for node in ast.walk(source.tree) if isinstance(node, ast.Name)]
    return {node.id: source.segment(node) for node in nodes}


@pytest.mark.parametrize(
    "text",
    [
        "a = b\n",
        "x = 'ä€😀'; a = b\n",
        "x = '''ä\r\nö'''; a = b\r\n",
        "x = 1\ra = b\r",
        "x = 1\r\na = b\nc = d\re = f",
        "\x0ca = b\n",
        "if x:\n\x0c\ta = b\n",
        "x = 'a\u2028b\u2029c\x85d\x0be\x1cf'; a = b\ng = h\n",
        "x = (\n\ta +  # ä\n\tb)\n",
        "ä = ö\n",
        "x = a \\\r\n  + b\n",
        "#\f\na = b",
    ],
)
def test_segments_are_what_the_tree_says(text: str) -> None:
    source = Source.from_text(text)
    assert all(name == segment for name, segment in names(source).items())
    for node in ast.walk(source.tree):
        if isinstance(node, ast.stmt):
            span = source.span(node)
            line, column = source.position(span.start)
            assert source.line_start(span.start) + column - 1 == span.start
            assert line == node.lineno


def test_offsets_outside_the_text_are_errors() -> None:
    source = Source.from_text("ä = 1\nb = 2")
    assert source.offset(1, 2) == 1
    assert source.offset(2, 5) == len(source.text)
    for line, column in [(0, 0), (3, 0), (2, 6), (2, -1), (1, 1), (1, 99)]:
        with pytest.raises(ValueError, match=r"no (line|column|byte column)"):
            source.offset(line, column)


def test_a_node_without_a_position_is_an_error() -> None:
    source = Source.from_text("a = 1\n")
    with pytest.raises(ValueError, match=r"has no position"):
        source.span(source.tree)


def test_lines() -> None:
    source = Source.from_text("ab\r\ncd\nef")
    assert [source.line_start(at) for at in (0, 3, 4, 8)] == [0, 0, 4, 7]
    assert [source.line_end(at) for at in (0, 4, 7)] == [2, 6, 9]
    assert [source.next_line(at) for at in (0, 4, 7)] == [4, 7, 9]
    assert source.position(5) == (2, 2)


@pytest.mark.parametrize(
    ("text", "indent"),
    [
        ("x = 1\n", ""),
        ("if a:\n\t x = 1\n", "\t "),
        ("if a:\n  \x0c  x = 1\n", "  "),
        ("if a:\n    @d\n    def x(): pass\n", "    "),
        ("if a: x = 1\n", ""),
        ("if a:\n  y = 2; x = 1\n", "  "),
    ],
)
def test_indentation(text: str, indent: str) -> None:
    source = Source.from_text(text)
    statement = source.tree.body[-1]
    statement = statement.body[-1] if isinstance(statement, ast.If) else statement
    assert source.indent_of(statement) == indent


def test_a_decorated_statement_starts_at_its_first_decorator() -> None:
    source = Source.from_text("@ (a)\n@b\nclass C: pass\n")
    assert source.statement_span(source.tree.body[0]) == Span(0, len(source.text) - 1)


def test_comments_are_found_by_line_and_strings_are_none() -> None:
    source = Source.from_text("x = '# no'  # yes ä\r\ny = '''\r\n# no'''\r\r# last")
    found = {line: source.text[s.start : s.end] for line, s in source.comments.items()}
    assert found == {1: "# yes ä", 5: "# last"}


def test_edits_are_spliced_by_offset_then_rank_then_as_given() -> None:
    source = Source.from_text("abcdef")
    edits = [
        Edit(3, 5, -9, "DE"),
        Edit(3, 3, 1, "2"),
        Edit(3, 3, 0, "1"),
        Edit(3, 3, 1, "3"),
        Edit(3, 3, 1, "2"),
        Edit(0, 3, 0, ""),
        Edit(6, 6, 0, "!"),
    ]
    assert source.apply(edits) == "123DEf!"


@pytest.mark.parametrize(
    "edits",
    [
        [Edit(0, 3, 0, "x"), Edit(2, 4, 0, "y")],
        [Edit(0, 3, 0, "x"), Edit(1, 1, 0, "y")],
        [Edit(0, 3, 0, "x"), Edit(0, 3, 0, "y")],
        [Edit(5, 9, 0, "")],
        [Edit(4, 3, 0, "")],
        [Edit(-1, 0, 0, "")],
    ],
)
def test_overlapping_edits_and_edits_outside_are_errors(edits: list[Edit]) -> None:
    with pytest.raises(ValueError, match=r"overlapping edits at f.py:1:"):
        Source.from_text("abcdef", "f.py").apply(edits)


def test_parents() -> None:
    source = Source.from_text("a + b\n")
    (name,) = (n for n in ast.walk(source.tree) if isinstance(n, ast.Name) and n.id == "b")
    assert isinstance(source.parent(name), ast.BinOp)
    assert source.parent(source.tree) is None


def test_a_very_long_line_is_no_problem() -> None:
    source = Source.from_text("x = ['ä', " + "ab, " * 20_000 + "]\n")
    assert {source.segment(n) for n in ast.walk(source.tree) if isinstance(n, ast.Name)} == {
        "x",
        "ab",
    }
