"""The names of `torch.cuda` and those for any accelerator, against the installed torch."""

from __future__ import annotations

import ast
import inspect
import operator

import pytest

from devicefix.torch_api import (
    ACCELERATOR_NAMES,
    GENERIC,
    NEEDS_CUDA,
    SINCE,
    Alone,
    Generic,
    Takes,
    meant_by,
    no_generic_form,
)

torch = pytest.importorskip("torch")
INSTALLED = tuple(map(int, torch.__version__.split(".")[:2]))
ROWS = [row for row in GENERIC.values() if row.form and row.since <= INSTALLED]
NUMBERS = {Takes.DEVICE: (0,), Takes.NUMBER: (0,), Takes.NOTHING: (), Takes.SAME: ()}


def named(name: str) -> object:
    return operator.attrgetter(name.removeprefix("torch."))(torch)


@pytest.mark.parametrize("row", GENERIC.values(), ids=lambda row: row.name)
def test_cuda_has_the_old_name(row: Generic) -> None:
    assert named(row.name) is not None
    assert bool(row.form) is not bool(row.why)
    assert not row.form or SINCE[row.form] == row.since


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.form)
def test_the_generic_form_takes_what_the_row_says(row: Generic) -> None:
    if row.takes is Takes.SAME:
        assert isinstance(named(row.form), type)
        return
    takes = inspect.signature(named(row.form)).parameters  # type: ignore[arg-type]
    assert len(takes) == len(NUMBERS[row.takes])
    assert all(p.kind is inspect.Parameter.POSITIONAL_ONLY for p in takes.values())


@pytest.mark.skipif(torch.accelerator.is_available(), reason="there is an accelerator")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.form)
def test_what_the_generic_form_does_without_an_accelerator(row: Generic) -> None:
    if row.takes is Takes.SAME:
        return
    function = named(row.form)
    assert callable(function)
    if row.alone is Alone.ANSWERS:
        assert not function()
        return
    with pytest.raises(RuntimeError), function(*NUMBERS[row.takes]):
        pass  # a context raises where it is entered


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is CUDA")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_what_the_old_one_gives_without_cuda(row: Generic) -> None:
    if not row.otherwise:
        assert row.name in NEEDS_CUDA or row.alone is Alone.ANSWERS or row.takes is Takes.NUMBER
        return
    old = named(row.name)
    assert callable(old)
    assert old() == ast.literal_eval(row.otherwise)


def test_why_a_name_stays() -> None:
    assert no_generic_form("torch.cuda.synchronize") == ""
    assert "dict" in no_generic_form("torch.cuda.get_device_capability")
    assert "no equivalent" in no_generic_form("torch.cuda.utilization")


def test_all_names_of_the_installed_torch_are_known() -> None:
    public = {*torch.accelerator.__all__, *torch.accelerator.memory.__all__}
    assert public <= ACCELERATOR_NAMES.keys()
    older = {name for name, since in ACCELERATOR_NAMES.items() if since <= INSTALLED}
    assert all(hasattr(torch.accelerator, name) for name in older)
    assert not hasattr(torch.accelerator, "manual_seed_all")


def test_what_is_meant_by_a_name_that_is_not_there() -> None:
    assert meant_by("torch.accelerator.set_device") == "use `torch.accelerator.set_device_index`"
    assert "`torch.manual_seed` seeds the CPU and all devices" in meant_by(
        "torch.accelerator.manual_seed_all"
    )
    assert "torch.get_device_module" in meant_by("torch.accelerator.utilization")
