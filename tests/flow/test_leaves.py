"""Leaves of the gradient: a transfer behind them makes another tensor, which has no gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

Moves = Callable[[str], list[str]]

DRAWN: Final = "torch.randn(8, 3, generator=torch.Generator(), requires_grad=True)"


def test_a_leaf_is_made_on_the_device(beside_model: Moves) -> None:
    program = "x = torch.zeros(8, 3, requires_grad=True)\nmodel(x).sum().backward()\n"
    assert beside_model(program) == ["FACTORY torch.zeros(8, 3, requires_grad=True) => device"]


def test_a_leaf_that_takes_no_device_is_moved_where_it_is_used(beside_model: Moves) -> None:
    program = f"x = {DRAWN}\nmodel(x).sum().backward()\nprint(x.grad)\n"
    assert beside_model(program) == ["OPERAND x -> device"]


@pytest.mark.parametrize("gradient", ["True", "wanted"])
def test_two_uses_are_no_reason_to_move_the_leaf(beside_model: Moves, gradient: str) -> None:
    drawn = DRAWN.replace("grad=True", f"grad={gradient}")
    program = f"wanted = len('x') > 0\nx = {drawn}\nprint(model(x), model(x), model(x))\n"
    assert beside_model(program) == ["OPERAND x -> device"] * 3


def test_leaves_that_a_helper_makes_are_not_moved_where_they_are_bound(
    beside_model: Moves,
) -> None:
    program = f"""
        def draw():
            return {DRAWN}, 1
        x = draw()[0]
        y, _ = draw()
        print(model(x), model(y), model(x), model(y))
        """
    assert [line.split()[0] for line in beside_model(program)] == ["OPERAND"] * 4


def test_what_is_computed_from_a_leaf_may_move(beside_model: Moves) -> None:
    program = f"x = {DRAWN}\ny = x * 2\nprint(model(y), model(y))\n"
    assert beside_model(program) == ["DATA x * 2 -> device"]


def test_a_gradient_that_is_asked_for_later_is_no_obstacle(beside_model: Moves) -> None:
    program = """
        x = torch.randn(8, 3, generator=torch.Generator()).requires_grad_()
        print(model(x), model(x))
        """
    assert beside_model(program) == [
        "DATA torch.randn(8, 3, generator=torch.Generator()) -> device"
    ]
