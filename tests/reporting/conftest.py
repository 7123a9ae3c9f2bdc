"""A report with something of everything in it."""

from __future__ import annotations

import pytest

from devicefix.engine import Change, FileError, FileResult, Left, Report
from devicefix.findings import Applicability, Edit, Finding, Fix, Span


def _finding(
    code: str, line: int, message: str, sure: Applicability | None = Applicability.SAFE
) -> Finding:
    fix = Fix((Edit(0, 3, 0, "new"),), sure, f"g{line}") if sure is not None else None
    return Finding(code, f"rule-{code.lower()}", message, "src/a.py", Span(0, 3), line, 5, fix)


@pytest.fixture
def report() -> Report:
    fixed = _finding("DFX103", 3, "made on the [red]host[/red]")
    unsafe = _finding("DFX103", 7, "enters helper()", Applicability.UNSAFE)
    bare = _finding("DFX201", 9, "x" * 200, None)
    left = (Left(unsafe, "the fix is unsafe"), Left(bare, "choose a device"))
    change = Change(b"old = 1\r\nx\n", b"new = 1\r\nx\n", "utf-8")
    result = FileResult("src/a.py", (fixed, unsafe, bare), (fixed,), left, change)
    error = FileError("src/b.py", 4, "looks like Python 2\x1b[31m")
    return Report((result,), (error,), 12, 0.25)
