"""Old names: each row against what the installed torch says and does."""

from __future__ import annotations

import importlib
import inspect
import warnings
from pathlib import Path

import pytest

from devicefix.engine import check
from devicefix.settings import Settings
from devicefix.torch_api import OLD_NAMES, REDUCTIONS, REMOVED, RENAMED, canonical

torch = pytest.importorskip("torch")


def found(name: str) -> object:
    """What a dotted name is; None where it is not there."""
    module, _, last = name.rpartition(".")
    try:
        return getattr(importlib.import_module(module), last, None)
    except ImportError:
        return None


@pytest.mark.parametrize("name", sorted(RENAMED))
def test_what_comes_instead_is_there(name: str) -> None:
    row = RENAMED[name]
    new, old = found(row.new), found(row.name)
    assert callable(new)
    assert canonical(name) == name
    if old is not None and "functional" not in name:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert row.new.rpartition(".")[2] in (inspect.getdoc(old) or "") + str(old.__doc__)


def test_the_gates_are_the_same_functions() -> None:
    x = torch.linspace(-3, 3, 7)
    for name in ("sigmoid", "tanh"):
        assert torch.equal(getattr(torch.nn.functional, name)(x), getattr(torch, name)(x))


@pytest.mark.parametrize("name", sorted(REMOVED))
def test_what_is_gone_raises_or_is_not_there(name: str) -> None:
    old = found(name)
    assert callable(found(REMOVED[name].instead))
    if callable(old):
        with pytest.raises((RuntimeError, TypeError), match=r"removed|not callable|argument"):
            old(torch.eye(2))


@pytest.mark.parametrize("name", sorted(REDUCTIONS))
def test_where_losses_take_the_old_flags(name: str) -> None:
    names = list(inspect.signature(found(name)).parameters)  # type: ignore[arg-type]
    assert names.index("size_average") == REDUCTIONS[name]
    assert {"reduce", "reduction"} <= set(names)


def test_every_loss_of_torch_with_old_flags_is_a_row() -> None:
    for module in (torch.nn, torch.nn.functional):
        for name, value in vars(module).items():
            if not callable(value) or name.startswith("_") or inspect.isbuiltin(value):
                continue
            try:
                names = inspect.signature(value).parameters
            except ValueError:
                continue
            if "size_average" in names:
                assert canonical(f"{module.__name__}.{name}") in REDUCTIONS


def test_flags_that_are_set_on_a_loss_of_torch_are_ignored_and_reported(tmp_path: Path) -> None:
    """Whatever loss it is: torch has neither attribute, and none of its code reads one."""
    losses = [name for name in REDUCTIONS if "functional" not in name]
    flags = [(name, flag) for name in losses for flag in ("size_average", "reduce")]
    lines = ["import torch", *(f"loss = {n}()\nloss.{f} = False" for n, f in flags)]
    for name in losses:
        loss = found(name)()  # type: ignore[operator]
        code = inspect.getsource(type(loss).forward)
        assert not any(hasattr(loss, flag) or flag + "=" in code for _, flag in flags)
    file = tmp_path / "a.py"
    file.write_text("\n".join(lines) + "\n")
    (result,) = check([file], Settings()).files
    assert [x.finding.line for x in result.left] == [3 + 2 * n for n in range(len(flags))]
    assert {x.finding.code for x in result.left} == {"DFX608"}
    first = result.left[0]
    assert first.finding.message.startswith("since 0.4.1, torch ignores `size_average`")
    assert (
        first.reason
        == "only `loss.reduction` takes effect; setting that instead would change the results"
    )


def test_old_names_are_spelled_as_evaluation_spells_them() -> None:
    assert all(canonical(name) == name for name in OLD_NAMES)


def test_what_variable_does_today() -> None:
    x = torch.ones(2, requires_grad=True) * 2
    made = torch.autograd.Variable(x)
    assert not made.requires_grad
    assert made.data_ptr() == x.data_ptr()
    assert torch.autograd.Variable(x, requires_grad=True).is_leaf
    assert type(made) is torch.Tensor
    with pytest.raises(TypeError, match="has to be a tensor"):
        torch.autograd.Variable(3)
