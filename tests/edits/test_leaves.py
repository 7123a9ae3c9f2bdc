"""Transfers that go before the place where a tensor becomes a leaf."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from devicefix.edits import (
    EditError,
    require_gradient_later,
    transfer_inside,
    transfer_into_factory,
)
from devicefix.findings import Edit
from devicefix.source import Source

Apply = Callable[..., str]


def chain(source: Source) -> tuple[ast.Call, ast.Call]:
    """``made(…).to(…)``: the last call, and the one before."""
    call = source.tree.body[0].value  # type: ignore[attr-defined]
    assert isinstance(call, ast.Call)
    assert isinstance(call.func, ast.Attribute)
    assert isinstance(call.func.value, ast.Call)
    return call, call.func.value


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = p(a).to(d)\n", "x = p(a.to(d))\n"),
        ("x = p(a + b).cuda()\n", "x = p((a + b).cuda())\n"),
        ("x = p((a + b), c).to(d, e)\n", "x = p((a + b).to(d, e), c)\n"),
        ("x = (p(a)).to(d)\n", "x = (p(a.to(d)))\n"),
        ("x = (p(a)\n     .to(d))\n", "x = (p(a.to(d)))\n"),
        ("x = p(  # c\n    a,\n).to(d)\n", "x = p(  # c\n    a.to(d),\n)\n"),
    ],
)
def test_the_transfer_goes_inside(apply: Apply, before: str, after: str) -> None:
    def rewrite(source: Source) -> tuple[Edit, ...]:
        call, made = chain(source)
        return transfer_inside(source, call, made.args[0])

    assert apply(before, rewrite) == after


def test_a_comment_in_the_chain_is_not_lost() -> None:
    source = Source.from_text("x = (p(a)  # c\n     .to(d))\n")
    call, made = chain(source)
    with pytest.raises(EditError):
        transfer_inside(source, call, made.args[0])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = p(a, g=1).to(d)\n", "x = p(a, g=1, device=d)\n"),
        ("x = p(\n    a,\n).to(d)\n", "x = p(\n    a,\n    device=d,\n)\n"),
    ],
)
def test_the_factory_makes_it_there(apply: Apply, before: str, after: str) -> None:
    def rewrite(source: Source) -> tuple[Edit, ...]:
        return transfer_into_factory(source, *chain(source), "d")

    assert apply(before, rewrite) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = p(a, requires_grad=True).to(d)\n", "x = p(a).to(d).requires_grad_()\n"),
        ("x = p(requires_grad=True, b=c).to(d)\n", "x = p(b=c).to(d).requires_grad_()\n"),
    ],
)
def test_it_asks_for_a_gradient_later(apply: Apply, before: str, after: str) -> None:
    assert apply(before, lambda source: require_gradient_later(source, *chain(source))) == after
