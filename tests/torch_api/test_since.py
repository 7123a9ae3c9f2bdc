"""What rewrites write, against the installed torch."""

from __future__ import annotations

import inspect
import operator
import re
import types

import pytest

from devicefix.torch_api import SINCE, is_there

torch = pytest.importorskip("torch")
INSTALLED = tuple(map(int, torch.__version__.split(".")[:2]))


@pytest.mark.parametrize("name", SINCE)
def test_a_newer_torch_has_it(name: str) -> None:
    if SINCE[name] > INSTALLED:
        pytest.skip("an older torch is installed")
    name, _, argument = name.removeprefix("torch.").partition("(")
    found = operator.attrgetter(name)(torch)
    if argument:
        known = [*_parameters(found), *re.findall(r"\w+", found.__doc__ or "")]
        assert argument.partition("=")[0] in known


def _parameters(function: object) -> list[str]:
    """Of a builtin those of the operators that it stands for."""
    if isinstance(function, types.BuiltinFunctionType):
        operators = torch._C._jit_get_schemas_for_operator(f"aten::{function.__name__}")
        return [argument.name for one in operators for argument in one.arguments]
    return [*inspect.signature(function).parameters]


@pytest.mark.parametrize("name", SINCE)
def test_it_is_there_from_its_version_on(name: str) -> None:
    *more, last = SINCE[name]
    assert is_there(name, (*more, last))
    assert is_there(name, (*more, last, 0))
    assert not is_there(name, (*more, last - 1, 9))


def test_all_else_is_old() -> None:
    assert is_there("torch.zeros", (0, 4))
