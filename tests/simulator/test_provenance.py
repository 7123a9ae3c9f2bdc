"""Stamps on storages: who gets one, what they say, and what the mode must not disturb."""

from __future__ import annotations

import copy
import io
import pickle
import threading
from collections.abc import Iterator

import pytest
import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from devicefix.simulator.provenance import (
    Provenance,
    Step,
    call_of,
    follow_threads,
    leave,
    stamp,
    stamp_of,
    suspended,
)


@pytest.fixture(autouse=True)
def mode() -> Iterator[Provenance]:
    with Provenance() as entered:
        yield entered


def created(tensor: torch.Tensor) -> Step:
    found = stamp_of(tensor)
    assert found is not None
    return found.created


def line() -> int:
    import sys

    return sys._getframe(1).f_lineno


def test_a_factory() -> None:
    x = torch.randn(3)
    step = created(x)
    assert (step.how, step.line, step.code.co_name) == ("torch.randn", line() - 2, "test_a_factory")


def test_a_view_shares_the_stamp() -> None:
    x = torch.zeros(4)
    view = x[:2].reshape(1, 2)
    assert created(view) == created(x)


def test_in_place_keeps_the_stamp() -> None:
    x = torch.zeros(4)
    before = created(x)
    x += 1
    assert created(x) == before


def test_arithmetic_makes_a_storage_of_its_own() -> None:
    x = torch.zeros(4)
    y = 1 - x
    assert created(y).line == line() - 1
    assert created(y) != created(x)


def test_what_was_computed_keeps_its_ancestors() -> None:
    x, y = torch.zeros(4), torch.ones(4)
    total = torch.cat([x.mul(2), y]) + 1
    found = stamp_of(total)
    assert found is not None
    assert found.ancestors == (created(x), created(y))
    first = stamp_of(x)
    assert first is not None
    assert first.ancestors == ()


def test_ancestors_reach_back_to_the_last_transfer() -> None:
    x = torch.zeros(4)
    there = x.to("meta")
    found = stamp_of(there * 2)
    assert found is not None
    assert [step.how for step in found.ancestors] == [".to"]


def test_no_chain_of_ancestors_grows() -> None:
    total = torch.zeros(1)
    for make in (torch.zeros, torch.ones, torch.rand, torch.randn, torch.empty):
        total = total + make(1)
        total = total * 2
    found = stamp_of(total)
    assert found is not None
    assert len(found.ancestors) == 4


def test_a_module_made_its_parameters() -> None:
    layer = nn.Linear(2, 3)
    assert created(layer.weight).how == "torch.nn.Linear"
    assert created(layer.bias).line == line() - 2


def test_several_results() -> None:
    values, indices = torch.randn(5).topk(2)
    assert created(values).how == created(indices).how == ".topk"


def test_a_transfer_remembers_where_its_source_was_made() -> None:
    x = torch.ones(3)
    y = x.to("meta")
    found = stamp_of(y)
    assert found is not None
    assert found.created.line == line() - 4
    assert found.moved is not None
    assert (found.moved.how, found.moved.line) == (".to", line() - 5)


def test_two_transfers_remember_the_first_source_and_the_last_move() -> None:
    layer = nn.Linear(2, 3)
    layer.to("meta")
    layer.to_empty(device="cpu")
    x = torch.ones(2)
    y = x.to("meta").to(torch.float64)
    assert created(x).line == line() - 2
    assert created(y).line == line() - 2  # a cast on the same device makes something new


def test_a_module_that_is_moved() -> None:
    layer = nn.Linear(2, 3)
    layer.to("meta")
    found = stamp_of(layer.weight)
    assert found is not None
    assert found.created.how == "torch.nn.Linear"
    assert found.moved is not None
    assert found.moved.how == "torch.nn.Module.to"


def test_what_nobody_saw_has_no_stamp() -> None:
    with suspended():
        x = torch.zeros(3)
    assert stamp_of(x) is None


def test_a_stamp_by_hand_does_not_replace_one() -> None:
    x = torch.zeros(3)
    stamp(x, "DataLoader")
    assert created(x).how == "torch.zeros"


def test_a_stamp_by_hand() -> None:
    with suspended():
        x = torch.zeros(3)
    stamp(x, "DataLoader")
    assert created(x).how == "DataLoader"


def test_threads_are_followed(mode: Provenance) -> None:
    made: list[torch.Tensor] = []

    class Worker(threading.Thread):
        def run(self) -> None:
            made.append(torch.zeros(3))

    end = follow_threads(mode)
    try:
        for worker in (Worker(), threading.Thread(target=lambda: made.append(torch.ones(3)))):
            worker.start()
            worker.join()
    finally:
        end()
    assert [created(x).how for x in made] == ["torch.zeros", "torch.ones"]


def test_the_call_that_raised() -> None:
    x = torch.zeros(3)
    with pytest.raises(RuntimeError) as caught:
        torch.mm(x, x)
    call = call_of(caught.value)
    assert call is not None
    assert call.function is torch.mm
    assert call.arguments[0] is x


def test_other_modes_stay_where_they_are() -> None:
    class Other(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
            return func(*args, **(kwargs or {}))

    with Other() as above, torch.device("meta"):
        with suspended():
            assert torch.zeros(1).is_meta
        assert torch.overrides._get_current_function_mode_stack()[1] is above
        assert stamp_of(torch.zeros(1)) is not None


def test_leaving_takes_the_mode_away(mode: Provenance) -> None:
    leave()
    try:
        assert stamp_of(torch.zeros(1)) is None
    finally:
        mode.__enter__()  # type: ignore[no-untyped-call]


def test_copies_and_pickles_are_ordinary() -> None:
    layer = nn.Linear(2, 3)
    twin = copy.deepcopy(layer)
    assert torch.equal(twin.weight, layer.weight)
    assert created(twin.weight).line == line() - 2
    again = pickle.loads(pickle.dumps(layer))
    assert torch.equal(again.weight, layer.weight)
    buffer = io.BytesIO()
    torch.save(layer.state_dict(), buffer)
    buffer.seek(0)
    assert torch.equal(torch.load(buffer)["weight"], layer.weight)


@pytest.mark.filterwarnings("ignore:Sparse invariant checks")
def test_tensors_without_a_storage() -> None:
    sparse = torch.sparse_coo_tensor(torch.zeros(1, 1).long(), torch.ones(1), (3,))
    assert stamp_of(sparse) is None
    assert created(sparse.to_dense()).how == ".to_dense"


def test_transforms() -> None:
    doubled = torch.func.vmap(lambda row: (row + torch.zeros(3)).sum())(torch.ones(2, 3))
    assert doubled.tolist() == [3, 3]
    gradient = torch.func.grad(lambda x: (x * x).sum())(torch.ones(3))
    assert gradient.tolist() == [2, 2, 2]


@pytest.mark.filterwarnings("ignore:.*torch.jit.*:DeprecationWarning")
def test_torchscript() -> None:
    def repeated(x: torch.Tensor, times: int) -> torch.Tensor:
        for _ in range(times):
            x = x + torch.ones(1)
        return x

    assert torch.jit.script(repeated)(torch.zeros(2), 3).tolist() == [3, 3]


def test_a_backward_pass() -> None:
    layer = nn.Linear(2, 1)
    layer(torch.ones(1, 2)).sum().backward()
    assert layer.weight.grad is not None
    assert layer.weight.grad.tolist() == [[1, 1]]
