"""A comment suppresses nothing.

## What it does

Finds `# devicefix: ignore[DFX103]` on statements where no rule of that code finds anything, and `#
devicefix: ignore` where none at all does. The fix removes the comment, or only the codes that are
not needed; the rest of the comment stays.

A misspelled comment such as `# devicefix: ignroe` or `# devicfix: ignore` suppresses nothing.
It is reported with a suggestion, and left unchanged.

Not reported: codes of rules that are not selected, files with `# devicefix: skip-file`, and files
whose analysis was not completed. Comments are checked after all other fixes.

## Why

The problem is gone, has moved to another line, or the code is written wrongly. The comment would
hide a new problem, and tells readers of one that does not exist.

## Example

```python
mask = torch.ones(8, 8, device=device)  # devicefix: ignore[DFX103]
```

Use instead:

```python
mask = torch.ones(8, 8, device=device)
```

## Fix safety

Always safe: only a comment changes. `# devicefix: ignore[DFX701]` on the line keeps it.

## References

- https://docs.astral.sh/ruff/rules/unused-noqa/ (the same for `# noqa`)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from devicefix.codemod import Afterthought, Idle, finding_at
from devicefix.findings import Applicability, Edit, Finding, Fix, Span
from devicefix.source import Source, find_ignore

_LEAD: Final = re.compile(r"[\s:,;.–—-]*")  # noqa: RUF001


class UnusedSuppression(Afterthought):
    """``# devicefix: ignore[DFX103]`` where there is no DFX103."""

    code = "DFX701"
    name = "unused-suppression"

    def reconsider(self, source: Source, idle: Iterable[Idle]) -> Iterator[Finding]:
        for one in idle:
            if one.meant:
                message = "unknown devicefix comment"
                advice = f"did you mean `devicefix: {one.meant}`?"
                yield finding_at(self, source, one.span, message, None, advice)
                continue
            edit = _without(source, one)
            fix = Fix((edit,), Applicability.SAFE, f"{self.code}-{one.span.start}")
            yield finding_at(self, source, one.span, _message(one), fix)


def _message(idle: Idle) -> str:
    if not idle.codes:
        return "this comment suppresses nothing"
    named = ", ".join(f"`{code}`" for code in idle.codes if code not in idle.unknown)
    unknown = ", ".join(f"`{code}`" for code in idle.unknown)
    parts = [f"{named} suppresses nothing here"] if named else []
    return "; ".join(parts + ([f"unknown rule {unknown}"] if unknown else []))


def _without(source: Source, idle: Idle) -> Edit:
    """Remove the comment, or those of its codes that suppress nothing."""
    start = idle.span.start
    comment = source.text[start : idle.span.end]
    ignore = find_ignore(comment)
    assert ignore is not None
    kept = [code for code in ignore.codes if code not in idle.codes]
    if kept and ignore.listed is not None:
        first, last = (start + at for at in ignore.listed)
        return Edit(first, last, 0, ", ".join(dict.fromkeys(kept)))
    before, after = comment[: ignore.start].rstrip(), comment[ignore.end :]
    rest = _LEAD.sub("", after, count=1)
    if rest:
        text = rest if rest.startswith("#") else f"# {rest}"
        return Edit(start + ignore.start, idle.span.end, 0, text)
    if before:
        return Edit(start + len(before), idle.span.end, 0, "")
    return _whole(source, idle.span)


def _whole(source: Source, span: Span) -> Edit:
    """Remove a comment with the blanks before it, and its line if nothing else is on it."""
    first = source.line_start(span.start)
    code = source.text[first : span.start].rstrip(" \t\f")
    if code:
        return Edit(first + len(code), span.end, 0, "")
    return Edit(first, source.next_line(span.start), 0, "")
