"""Where an accelerator cannot be simulated, one sentence says so, and what to do."""

from __future__ import annotations

import platform
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from devicefix.simulator import Refused
from devicefix.simulator.devices import KINDS

torch = pytest.importorskip("torch")
circumstances = pytest.importorskip("devicefix.simulator.circumstances")
CUDA = KINDS["cuda"]


@pytest.fixture
def nothing_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(circumstances, "_is_there", lambda kind: False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")


@pytest.mark.usefixtures("nothing_is_there")
def test_here_it_can_be_simulated() -> None:
    circumstances.require(CUDA)


@pytest.mark.parametrize(
    ("place", "name", "value", "sentence"),
    [
        (sys, "platform", "darwin", r"on Linux with x86-64 only; this is darwin on x86_64"),
        (platform, "machine", lambda: "aarch64", r"only; this is linux on aarch64"),
        (sys, "implementation", SimpleNamespace(name="pypy"), r"in CPython only; this is pypy"),
        (circumstances, "release", lambda: (2, 3), r"only with torch 2\.4 or later; .*: update it"),
        (torch.version, "hip", "6.2", r"is built for ROCm"),
        (circumstances, "_is_there", lambda kind: True, r'hide it with CUDA_VISIBLE_DEVICES=""'),
    ],
)
@pytest.mark.usefixtures("nothing_is_there")
def test_obstacles_are_named(
    monkeypatch: pytest.MonkeyPatch, place: Any, name: str, value: Any, sentence: str
) -> None:
    monkeypatch.setattr(place, name, value)
    with pytest.raises(Refused, match=sentence):
        circumstances.require(CUDA)


@pytest.mark.usefixtures("nothing_is_there")
def test_a_build_for_rocm_can_simulate_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.version, "hip", "6.2")
    circumstances.require(KINDS["mps"])
