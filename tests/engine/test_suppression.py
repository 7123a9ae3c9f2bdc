from __future__ import annotations

import ast

import pytest

from devicefix.engine.suppression import statement_lines, suppressed
from devicefix.findings import Finding, Span
from devicefix.source import Source

TEXT = """\
import torch
@decorated(
    1)
def f(a,
      b):
    '''Doc
    string.'''
    x = g(
        a,
    )
    for i in (
        1, 2
    ):
        h(i)
    else:
        h(0)
    try:
        k()
    except (A,
            B):
        m()
    finally:
        n()
    match x:
        case 1:
            p(x)
    if x: q(x)
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (1, (1, 1)),
        (2, (2, 5)),
        (4, (2, 5)),
        (5, (2, 5)),
        (6, (6, 7)),
        (8, (8, 10)),
        (9, (8, 10)),
        (11, (11, 13)),
        (12, (11, 13)),
        (14, (14, 14)),
        (16, (16, 16)),
        (18, (18, 18)),
        (21, (21, 21)),
        (23, (23, 23)),
        (24, (24, 25)),
        (26, (26, 26)),
        (27, (27, 27)),
        (99, (99, 99)),
    ],
)
def test_a_statement_is_all_its_lines_and_a_block_its_header(
    line: int, expected: tuple[int, int]
) -> None:
    assert statement_lines(ast.parse(TEXT).body, line) == expected


def _finding(source: Source, needle: str, code: str = "DFX901") -> Finding:
    start = source.text.index(needle)
    line, column = source.position(start)
    span = Span(start, start + len(needle))
    return Finding(code, "rule", "message", source.path, span, line, column)


def test_a_comment_on_any_line_of_the_statement_takes_a_finding_out() -> None:
    source = Source.from_text(
        "a = f(\n    one,\n    two)  # devicefix: ignore[DFX901]\nb = three\n"
        "for x in four:  # devicefix: ignore\n    five\n"
    )
    findings = [_finding(source, word) for word in ("one", "two", "three", "four", "five")]
    other = _finding(source, "one", "DFX902")
    kept = [source.text[f.span.start : f.span.end] for f in suppressed([*findings, other], source)]
    assert sorted(kept) == ["four", "one", "two"]
    assert other not in suppressed([other], source)
