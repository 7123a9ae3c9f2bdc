"""Structs of msgspec are no dataclasses: a ``!=`` of their own stands beside each ``__eq__``."""

from __future__ import annotations

import ast
from pathlib import Path

from devicefix.flow.graph import Site, SiteKind
from devicefix.flow.values import Const, Device, Label, Plain

_HOUSE = Path(__file__).parents[1] / "devicefix"


def test_values_that_are_equal_are_not_unequal() -> None:
    tree = ast.parse("x")
    pairs = [
        (Const("cuda"), Const("cuda", frozenset([ast.Constant("cuda")]))),
        (Plain(options=frozenset(("device",))), Plain()),
        (Device(Label.TARGET), Device(Label.TARGET, written=frozenset([ast.Constant("cuda")]))),
        (Site(SiteKind.USE, tree), Site(SiteKind.USE, tree)),
    ]
    for one, other in pairs:
        assert one == other
        assert not one != other  # noqa: SIM202
        assert hash(one) == hash(other)


def test_who_says_what_is_equal_says_what_is_not() -> None:
    for path in _HOUSE.rglob("*.py"):
        if "simulator" in path.parts:
            continue  # it knows no structs
        for owner in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(owner, ast.ClassDef):
                said = {m.name for m in owner.body if isinstance(m, ast.FunctionDef)}
                assert "__eq__" not in said or "__ne__" in said, (path, owner.name)
