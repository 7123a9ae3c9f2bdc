"""Tracebacks as they would read if nobody had looked on."""

from __future__ import annotations

import traceback

import pytest
import torch

from devicefix.observe.tracebacks import chain_of, entries, places, without_ours
from devicefix.simulator.provenance import Provenance


def raised() -> BaseException:
    x = torch.zeros(3)
    with Provenance(), pytest.raises(RuntimeError) as caught:
        torch.nn.functional.cross_entropy(x, x[:2])
    return caught.value


def names(error: BaseException) -> list[str]:
    return [entry.tb_frame.f_code.co_name for entry in entries(error.__traceback__)]


def test_our_frames_and_the_detour_through_them_are_gone() -> None:
    error = raised()
    assert "__torch_function__" in names(error)
    assert names(error).count("cross_entropy") == 2
    shown = without_ours(error)
    assert shown is error.__traceback__
    assert names(error) == ["raised", "cross_entropy"]
    assert "devicefix/simulator" not in "".join(traceback.format_exception(error))


def test_causes_are_put_right_too() -> None:
    first = raised()
    second = ValueError("no luck")
    second.__cause__ = first
    without_ours(second)
    assert "__torch_function__" not in names(first)
    assert chain_of(second) == [second, first]


def test_errors_that_lead_to_each_other() -> None:
    first, second = ValueError(1), ValueError(2)
    first.__context__, second.__context__ = second, first
    assert chain_of(first) == [first, second]


def test_places_are_the_programs_lines() -> None:
    found = places(raised())
    assert [place.function for place in found] == ["raised", "cross_entropy"]
    assert found[0].file == __file__
    assert found[0].text == "torch.nn.functional.cross_entropy(x, x[:2])"
