from __future__ import annotations

import pytest

from devicefix.engine.groups import Group, Policy, compatible, triage
from devicefix.findings import Applicability, Edit, Finding, Fix, Span

DISPLAY, UNSAFE, SAFE = Applicability


def finding(
    code: str,
    *edits: Edit,
    group: str = "g",
    sure: Applicability = SAFE,
    start: int = 0,
    advice: str = "",
) -> Finding:
    fix = Fix(edits, sure, group)
    span = Span(start, start + 1)
    return Finding(code, "rule", "message", "x.py", span, 1 + start, 1, fix, advice)


A, B = Edit(0, 1, 0, "a"), Edit(5, 6, 0, "b")
POLICY = Policy(frozenset({"DFX1", "DFX2"}), unsafe_fixes=False)


def reasons(*findings: Finding, policy: Policy = POLICY, suppressed: int = -1) -> list[str]:
    out = frozenset({findings[suppressed]} if suppressed >= 0 else ())
    return [left.reason for left in triage(findings, out, policy).left()]


def test_a_group_is_applied_as_a_whole() -> None:
    seen = triage([finding("DFX1", A), finding("DFX2", B, start=5)], frozenset(), POLICY)
    assert [group.edits for group in seen.ready] == [{"x.py": (A, B)}]
    assert seen.left() == ()


def test_the_weakest_member_decides() -> None:
    safe = finding("DFX1", A)
    unsafe = finding("DFX2", B, sure=UNSAFE, start=5, advice="helper() may need the host")
    expected = "the fix is unsafe (--unsafe-fixes applies it): helper() may need the host"
    assert reasons(safe, unsafe) == [expected, expected]
    seen = triage([safe, unsafe], frozenset(), POLICY)
    assert {f.fix.applicability for f in seen.shown if f.fix} == {UNSAFE}
    assert reasons(safe, unsafe, policy=Policy(POLICY.selected, True)) == []
    shown = finding("DFX2", sure=DISPLAY, start=5, advice="choose one")
    assert reasons(safe, shown, policy=Policy(POLICY.selected, True)) == ["choose one"] * 2


def test_a_group_with_a_member_that_is_not_selected_is_left() -> None:
    policy = Policy(frozenset({"DFX1"}), unsafe_fixes=True)
    found = reasons(finding("DFX1", A), finding("DFX2", B, start=5), policy=policy)
    assert found == ["also needs DFX2, which is not selected"]


def test_a_group_with_a_suppressed_member_is_left() -> None:
    found = reasons(finding("DFX1", A), finding("DFX2", B, start=5), suppressed=1)
    assert found == ["also needs DFX2, which is suppressed on line 6"]


def test_without_a_fix_the_advice_is_the_reason() -> None:
    bare = Finding("DFX1", "rule", "message", "x.py", Span(0, 1), 1, 1)
    assert reasons(bare) == ["there is no automatic fix"]
    assert reasons(finding("DFX1", advice="no edits")) == ["no edits"]


def test_what_is_wholly_deselected_or_suppressed_is_not_shown() -> None:
    assert reasons(finding("DFX9", A), finding("DFX1", B, group="h"), suppressed=1) == []


def group(name: str, *edits: Edit) -> Group:
    return Group(("x.py", name), (finding("DFX1", *edits, group=name),))


@pytest.mark.parametrize(
    ("first", "second", "together"),
    [
        ((0, 3, "x"), (3, 5, "y"), True),
        ((0, 3, "x"), (2, 5, "y"), False),
        ((0, 5, "x"), (2, 2, "y"), False),
        ((0, 5, "x"), (5, 5, "y"), True),
        ((2, 2, "x"), (2, 5, "y"), True),
        ((2, 2, "x"), (2, 2, "y"), False),
        ((0, 3, "x"), (0, 3, "y"), False),
        ((0, 0, "import torch\n"), (0, 0, "import torch\n"), True),
        ((2, 2, ", device=pick()"), (2, 2, ", device=pick()"), True),
        ((0, 0, "("), (0, 0, "("), False),
        ((9, 9, ").to(device)"), (9, 9, ").to(device)"), False),
    ],
)
def test_which_edits_of_two_groups_go_together(
    first: tuple[int, int, str], second: tuple[int, int, str], together: bool
) -> None:
    groups = [
        group(name, Edit(start, end, 0, text))
        for name, (start, end, text) in (("a", first), ("b", second))
    ]
    assert len(compatible(groups)) == 1 + together
    assert len(compatible(groups[::-1])) == 1 + together


def test_ranks_order_insertions_at_one_place() -> None:
    groups = [group("a", Edit(2, 2, 0, ".float()")), group("b", Edit(2, 2, 1, ".to(device)"))]
    assert len(compatible(groups)) == 2
