"""The comment by which an author takes a finding out, put where it counts."""

from __future__ import annotations

import io
import re
import tokenize
from typing import Final

from devicefix.engine.suppression import statement_lines
from devicefix.findings import Edit, Finding
from devicefix.source import Source, SourceError
from devicefix.source.decoding import LINE_END

_LISTED: Final = re.compile(r"#\s*devicefix\s*:\s*ignore\s*\[(?P<codes>[^\]]*)\]", re.IGNORECASE)


def silenced(source: Source, finding: Finding) -> Edit | None:
    """``# devicefix: ignore[CODE]`` on the statement of ``finding``, which lies in ``source``.

    A list that is there gets one more code; else a comment goes behind the line, or the last one of
    the statement, whatever stands there already: ``# type: ignore`` has to come first. None where
    the text does not parse, or no line can have a comment.
    """
    line, _ = source.position(finding.span.start)
    try:
        first, last = statement_lines(source.tree.body, line)
    except SourceError:
        return None
    comments, ends = _tokens(source, first, last)
    for at in comments:
        listed = _LISTED.search(source.text, at, source.line_end(at))
        if listed is not None:
            end = listed.end("codes")
            return Edit(
                end, end, 0, f", {finding.code}" if listed["codes"].strip() else finding.code
            )
    for number in (line, last):
        if number in ends:
            end = source.line_end(source.offset(number, 0))
            return Edit(end, end, 0, f"  # devicefix: ignore[{finding.code}]")
    return None


def _tokens(source: Source, first: int, last: int) -> tuple[list[int], set[int]]:
    """Where the comments on some lines begin, and which lines end outside of a string.

    Behind a backslash a line does not end either.
    """
    start = source.offset(first, 0)
    text = source.text[start : source.next_line(source.offset(last, 0))]
    comments: list[int] = []
    ends: set[int] = set()
    try:
        for token in tokenize.generate_tokens(io.StringIO(LINE_END.sub("\n", text)).readline):
            line = first + token.start[0] - 1
            if token.type == tokenize.COMMENT:
                comments.append(source.line_start(source.offset(line, 0)) + token.start[1])
            elif token.type in (tokenize.NEWLINE, tokenize.NL):
                ends.add(line)
    except (tokenize.TokenError, SyntaxError):
        pass  # the header of a block: its block does not follow
    return comments, ends
