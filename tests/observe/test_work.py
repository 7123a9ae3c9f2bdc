"""How much arithmetic an operator does."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from devicefix.observe.work import work_of

aten = torch.ops.aten
zeros = torch.zeros


def work(op: Any, *arguments: Any) -> int:
    return work_of(op, arguments, {}, op(*arguments))


@pytest.mark.parametrize(
    ("op", "arguments", "expected"),
    [
        (aten.mm.default, (zeros(2, 3), zeros(3, 5)), 2 * 2 * 3 * 5),
        (aten.addmm.default, (zeros(5), zeros(2, 3), zeros(3, 5)), 2 * 2 * 3 * 5),
        (aten.bmm.default, (zeros(7, 2, 3), zeros(7, 3, 5)), 7 * 2 * 2 * 3 * 5),
        (aten.baddbmm.default, (zeros(7, 2, 5), zeros(7, 2, 3), zeros(7, 3, 5)), 7 * 60),
        (aten.mv.default, (zeros(2, 3), zeros(3)), 2 * 2 * 3),
        (aten.add.Tensor, (zeros(2, 3), zeros(3)), 6),
        (aten.relu_.default, (zeros(2, 3),), 6),
        (aten.sum.default, (zeros(2, 3),), 1),
        (aten.topk.default, (zeros(8), 2), 4),
        (aten._foreach_add_.Scalar, ([zeros(2), zeros(3)], 1), 5),
    ],
)
def test_arithmetic(op: Any, arguments: tuple[Any, ...], expected: int) -> None:
    assert work(op, *arguments) == expected


@pytest.mark.parametrize(
    ("op", "arguments"),
    [
        (aten.t.default, (zeros(2, 3),)),
        (aten.view.default, (zeros(2, 3), [6])),
        (aten.select.int, (zeros(2, 3), 0, 0)),
        (aten.split.Tensor, (zeros(4), 2)),
        (aten.clone.default, (zeros(3),)),
        (aten.copy_.default, (zeros(3), zeros(3))),
        (aten._to_copy.default, (zeros(3),)),
        (aten.zeros.default, ([3],)),
        (aten.zeros_like.default, (zeros(3),)),
        (aten.normal_.default, (zeros(3),)),
        (aten.fill_.Scalar, (zeros(3), 1)),
        (aten.cat.default, ([zeros(3), zeros(3)],)),
        (aten.detach.default, (zeros(3),)),
    ],
)
def test_what_computes_nothing(op: Any, arguments: tuple[Any, ...]) -> None:
    assert work(op, *arguments) == 0


def convolution(x: torch.Tensor, weight: torch.Tensor, transposed: bool) -> tuple[Any, ...]:
    return x, weight, None, [1, 1], [0, 0], [1, 1], transposed, [0, 0], 1


@pytest.mark.filterwarnings("ignore:.*triton not found")
@pytest.mark.parametrize("transposed", [False, True])
def test_convolutions_as_torch_counts_them(transposed: bool) -> None:
    from torch.utils.flop_counter import flop_registry

    arguments = convolution(
        zeros(2, 3, 8, 8), zeros(3, 5, 3, 3) if transposed else zeros(5, 3, 3, 3), transposed
    )
    made = aten.convolution.default(*arguments)
    backward = (made, *arguments[:2], [5], *arguments[3:], [True, True, True])
    results = aten.convolution_backward.default(*backward)
    assert work(aten.convolution.default, *arguments) == flop_registry[aten.convolution](
        *arguments, out_val=made
    )
    assert work_of(aten.convolution_backward.default, backward, {}, results) == flop_registry[
        aten.convolution_backward
    ](*backward, out_val=results)


@pytest.mark.filterwarnings("ignore:.*triton not found")
def test_attention_as_torch_counts_it() -> None:
    from torch.utils.flop_counter import flop_registry

    query, key, value = zeros(2, 4, 6, 8), zeros(2, 4, 5, 8), zeros(2, 4, 5, 8)
    formula = flop_registry[aten._scaled_dot_product_flash_attention]
    op = aten._scaled_dot_product_flash_attention_for_cpu.default
    assert work(op, query, key, value) == formula(query, key, value, out_val=None)
    backward = flop_registry[aten._scaled_dot_product_flash_attention_backward]
    arguments = (query, query, key, value)
    op = aten._scaled_dot_product_flash_attention_for_cpu_backward.default
    assert work_of(op, arguments, {}, None) == backward(*arguments, out_val=None)
