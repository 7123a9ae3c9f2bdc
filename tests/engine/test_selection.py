from __future__ import annotations

from collections.abc import Callable

import pytest

from devicefix.codemod import Codemod
from devicefix.engine import UnknownRuleError
from devicefix.engine.selection import find_rule, selected_codes
from devicefix.settings import Settings

Swap = Callable[..., type[Codemod]]


@pytest.fixture
def codemods(swap: Swap) -> list[type[Codemod]]:
    return [swap(code, "a", "b") for code in ("DFX101", "DFX102", "DFX201")]


@pytest.mark.parametrize(
    ("select", "ignore", "expected"),
    [
        ((), (), "DFX101 DFX102 DFX201"),
        (("DFX1",), (), "DFX101 DFX102"),
        (("dfx102", "rule-dfx201"), (), "DFX102 DFX201"),
        ((), ("DFX2",), "DFX101 DFX102"),
        (("DFX1",), ("DFX101",), "DFX102"),
        (("DFX101",), ("DFX1",), ""),
    ],
)
def test_selects_by_code_beginning_and_name(
    codemods: list[type[Codemod]],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    expected: str,
) -> None:
    settings = Settings(select=select, ignore=ignore)
    assert sorted(selected_codes(settings, codemods)) == expected.split()


@pytest.mark.parametrize(
    ("select", "ignore", "expected"),
    [
        ((), (), "DFX101 DFX102 DFX202"),
        (("DFX",), (), "DFX101 DFX102 DFX202"),
        (("DFX2",), (), "DFX202"),
        (("dfx201",), (), "DFX201"),
        (("DFX5",), (), "DFX501"),
        (("DFX1", "rule-dfx501"), (), "DFX101 DFX102 DFX501"),
        (("DFX201", "DFX202"), ("DFX2",), ""),
    ],
)
def test_a_rule_on_request_has_to_be_named(
    swap: Swap, select: tuple[str, ...], ignore: tuple[str, ...], expected: str
) -> None:
    usual = [swap(code, "a", "b") for code in ("DFX101", "DFX102", "DFX202")]
    waiting = [swap(code, "a", "b") for code in ("DFX201", "DFX501")]
    for codemod in waiting:
        codemod.on_request = True
    settings = Settings(select=select, ignore=ignore)
    assert sorted(selected_codes(settings, usual + waiting)) == expected.split()


@pytest.mark.parametrize("settings", [Settings(select=("DFX103",)), Settings(ignore=("DFX103",))])
def test_names_the_nearest_rules(codemods: list[type[Codemod]], settings: Settings) -> None:
    with pytest.raises(UnknownRuleError, match=r"unknown rule 'DFX103'; did you mean .*DFX101"):
        selected_codes(settings, codemods)


def test_an_empty_selector_is_no_rule(codemods: list[type[Codemod]]) -> None:
    with pytest.raises(UnknownRuleError):
        selected_codes(Settings(select=("",)), codemods)


def test_finds_a_rule_in_either_case(codemods: list[type[Codemod]]) -> None:
    assert find_rule("dfx102", codemods).code == "DFX102"
    assert find_rule("Rule-DFX201", codemods).code == "DFX201"
    with pytest.raises(UnknownRuleError):
        find_rule("DFX1", codemods)
    with pytest.raises(UnknownRuleError, match="did you mean rule-dfx201"):
        find_rule("rule-dfx20", codemods)
