"""The comment by which an author takes a finding out, put where it counts."""

from __future__ import annotations

import re
from typing import Final

from devicefix.engine.suppression import statement_lines
from devicefix.findings import Edit, Finding
from devicefix.source import Source, SourceError

_LISTED: Final = re.compile(r"#\s*devicefix\s*:\s*ignore\s*\[(?P<codes>[^\]]*)\]", re.IGNORECASE)


def silenced(source: Source, finding: Finding) -> Edit | None:
    """``# devicefix: ignore[CODE]`` behind the statement of ``finding``, which lies in ``source``.

    It stands on the first line of it that can have one: a string or a backslash may end others.
    None where the text does not parse, and no line can.
    """
    line, _ = source.position(finding.span.start)
    try:
        first, last = statement_lines(source.tree.body, line)
    except SourceError:
        return None
    for at in (line, last, *range(first, last + 1)):
        if at in source.comments:
            edit = _added(source, at, finding.code)
            if edit is not None:
                return edit
    for at in (line, last):
        edit = _behind(source, at, finding.code)
        if edit is not None and _counts(source, edit, finding):
            return edit
    return None


def _added(source: Source, line: int, code: str) -> Edit | None:
    """One more code in a comment that already names some."""
    span = source.comments[line]
    listed = _LISTED.search(source.text, span.start, span.end)
    if listed is None:
        return None
    end = listed.end("codes")
    return Edit(end, end, 0, f", {code}" if listed["codes"].strip() else code)


def _behind(source: Source, line: int, code: str) -> Edit | None:
    """A comment of its own at the end of a line; before another one that says something else."""
    comment = source.comments.get(line)
    text = f"# devicefix: ignore[{code}]"
    if comment is not None:
        return Edit(comment.start, comment.start, 0, f"{text}  ")
    end = source.line_end(source.offset(line, 0))
    return Edit(end, end, 0, f"  {text}")


def _counts(source: Source, edit: Edit, finding: Finding) -> bool:
    """Whether the comment is one: the end of a line may lie in a string, or behind a backslash."""
    new = Source(source.path, source.apply([edit]), source.encoding, source.newline)
    line, _ = source.position(finding.span.start)
    try:
        lines = statement_lines(new.tree.body, line)
    except SourceError:
        return False
    return new.suppressions.covers(finding.code, *lines)
