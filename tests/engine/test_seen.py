"""Findings with evidence: nothing safe is lost, and nothing that rests on a run is safe."""

from __future__ import annotations

from typing import Final

import pytest

from devicefix.engine.groups import NO_FIX
from devicefix.engine.seen import COMES_LATER, RESTS_ON_A_RUN, with_seen
from devicefix.findings import Applicability, Edit, Finding, Fix, Span

SAFE: Final = Applicability.SAFE
UNSAFE: Final = Applicability.UNSAFE
DISPLAY: Final = Applicability.DISPLAY


def finding(
    at: int,
    sure: Applicability | None = SAFE,
    group: str = "g",
    text: str = "x",
    advice: str = "",
) -> Finding:
    """One at an offset; without applicability it has no fix."""
    fix = Fix((Edit(at, at, 0, text),), sure, group) if sure is not None else None
    return Finding("TST101", "rule", f"at {at}", "a.py", Span(at, at + 1), 1, at + 1, fix, advice)


def told(plain: list[Finding], seen: list[Finding]) -> list[tuple[int, str, bool, str]]:
    """Offset, applicability, whether it rests on a run, and why it is left."""
    return [
        (f.span.start, f.fix.applicability.name if f.fix else "none", f.seen, f.advice)
        for f in sorted(with_seen(plain, seen), key=lambda f: f.span)
    ]


@pytest.mark.parametrize(
    ("plain", "seen", "left"),
    [
        ([finding(1)], [finding(1, group="h")], [(1, "SAFE", False, "")]),
        ([finding(1)], [], [(1, "SAFE", False, "")]),
        ([], [finding(1)], [(1, "UNSAFE", True, RESTS_ON_A_RUN)]),
        ([], [finding(1, DISPLAY)], [(1, "DISPLAY", True, RESTS_ON_A_RUN)]),
        ([], [finding(1, None)], [(1, "none", True, f"{NO_FIX}; {RESTS_ON_A_RUN}")]),
        ([], [finding(1, UNSAFE, advice="odd")], [(1, "UNSAFE", True, f"odd; {RESTS_ON_A_RUN}")]),
        ([], [finding(1, UNSAFE, advice="seen in a run")], [(1, "UNSAFE", True, "seen in a run")]),
        ([finding(1, None)], [finding(1, None)], [(1, "none", False, "")]),
        ([finding(1, None)], [finding(1)], [(1, "UNSAFE", True, RESTS_ON_A_RUN)]),
        ([finding(1, UNSAFE)], [finding(1, text="y")], [(1, "UNSAFE", True, RESTS_ON_A_RUN)]),
        ([finding(1, UNSAFE)], [], [(1, "UNSAFE", False, "")]),
        # a safe fix that evidence would write otherwise stays what it is
        ([finding(1)], [finding(1, text="y")], [(1, "SAFE", False, "")]),
        # what belongs together with it by evidence alone waits for it
        (
            [finding(1)],
            [finding(1), finding(5)],
            [(1, "SAFE", False, ""), (5, "DISPLAY", True, COMES_LATER)],
        ),
        (
            [finding(1)],
            [finding(1), finding(5, group="h")],
            [(1, "SAFE", False, ""), (5, "UNSAFE", True, RESTS_ON_A_RUN)],
        ),
    ],
)
def test_what_is_found_with_evidence(
    plain: list[Finding], seen: list[Finding], left: list[tuple[int, str, bool, str]]
) -> None:
    assert told(plain, seen) == left
