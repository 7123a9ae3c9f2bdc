"""What needs a decision: each cause once, with its first place, the code there, and what to do."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct

from devicefix.engine import Left
from devicefix.findings import Applicability, Finding, place_text
from devicefix.reporting.rule_pages import page_of_code
from devicefix.reporting.terminal import Styled, printable

STYLES: Final = ("yellow", "magenta", "green")
"""By applicability: display, unsafe, safe."""
_PLACES: Final = 4
"""The most other places of a cause."""
_WIDEST: Final = 160
"""Characters of a line that is shown."""


class Cause(Struct, frozen=True):
    """Findings of one rule that are left for one reason."""

    findings: tuple[Finding, ...]
    reason: str


def causes(left: Iterable[Left]) -> list[Cause]:
    """What is left, each cause once: first what only the user can decide, then what is unsafe."""
    found: dict[tuple[str, str], list[Finding]] = {}
    for one in left:
        found.setdefault((one.finding.code, one.reason), []).append(one.finding)
    made = [Cause(tuple(findings), reason) for (_, reason), findings in found.items()]
    return sorted(made, key=lambda cause: applicability(cause.findings[0]))


def lines(
    left: Iterable[Left], texts: Mapping[str, bytes], *, all_places: bool
) -> Iterator[tuple[Styled, ...]]:
    """The section about what is left; ``texts`` stand in the place of files on the disk."""
    yield (("Needs your decision:", "bold"),)
    for cause in causes(left):
        first, *others = cause.findings
        yield (("  ", ""), *line_of(first))
        yield from (((f"    {row}", ""),) for row in _frame(first, texts))
        yield ((f"    {printable(cause.reason)}", ""),)
        if others:
            yield ((f"    {_also(others, all_places=all_places)}", ""),)


def line_of(finding: Finding) -> tuple[Styled, ...]:
    """A finding on one line; terminals that can do so link its code to the page of the rule."""
    page = page_of_code(finding.code)
    sure = applicability(finding)
    return (
        (place(finding), "bold"),
        (" ", ""),
        (finding.code, f"cyan link {page}" if page else "cyan"),
        (f" {printable(finding.message)} ", ""),
        (f"[{sure.name.lower()}]", STYLES[sure]),
    )


def place(finding: Finding) -> str:
    """File, line and column."""
    return printable(place_text(finding.path, finding.line, finding.column, finding.cell))


def applicability(finding: Finding) -> Applicability:
    """How sure its fix is; a finding without one needs a decision."""
    return finding.fix.applicability if finding.fix is not None else Applicability.DISPLAY


def _also(others: list[Finding], *, all_places: bool) -> str:
    shown = others if all_places else others[:_PLACES]
    more = len(others) - len(shown)
    rest = f" and {more} more" if more else ""
    hint = ", -v lists them" if more else ""
    return f"also: {', '.join(map(place, shown))}{rest} ({len(others) + 1} places{hint})"


def _frame(finding: Finding, texts: Mapping[str, bytes]) -> Iterator[str]:
    """The line of the code, and what of it is meant; nothing where the file cannot be read."""
    if finding.cell is not None:
        return
    text = _text(finding.path, finding.line, texts)
    column = finding.column - 1
    code = text.lstrip()
    start = column - (len(text) - len(code))
    if not code or start < 0 or column >= len(text) or len(code) > _WIDEST:
        return
    from rich.cells import cell_len

    end = min(start + max(finding.span.end - finding.span.start, 1), len(code))
    yield printable(code)
    yield " " * cell_len(printable(code[:start])) + "^" * cell_len(printable(code[start:end]))


def _text(path: str, line: int, texts: Mapping[str, bytes]) -> str:
    """A line of a file as it is now; empty where it cannot be read."""
    try:
        content = texts[path] if path in texts else Path(path).read_bytes()
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        rows = content.decode(encoding).splitlines()
    except (OSError, SyntaxError, ValueError):
        return ""
    return rows[line - 1].rstrip() if 0 < line <= len(rows) else ""
