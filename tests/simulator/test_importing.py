"""Hearing of an import, and disturbing nothing."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from devicefix.simulator.importing import after_import


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    (tmp_path / "heard_of.py").write_text("value = 1\n")
    (tmp_path / "broken_half_way.py").write_text("raise ImportError('no')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    before = list(sys.meta_path)
    yield "heard_of"
    sys.meta_path[:] = before
    sys.modules.pop("heard_of", None)


def test_told_once_after_the_import(module: str) -> None:
    told: list[int] = []
    after_import(module, lambda: told.append(sys.modules[module].value))
    assert importlib.util.find_spec(module) is not None
    assert told == []
    importlib.import_module(module)
    assert told == [1]
    importlib.reload(sys.modules[module])
    assert told == [1]


def test_the_module_has_its_own_loader(module: str) -> None:
    after_import(module, lambda: None)
    loaded = importlib.import_module(module)
    assert loaded.__spec__ is not None
    assert type(loaded.__loader__).__name__ == "SourceFileLoader"
    assert loaded.__spec__.loader is loaded.__loader__


def test_several_may_wait_for_one_module(module: str) -> None:
    told: list[str] = []
    after_import(module, lambda: told.append("first"))
    after_import(module, lambda: told.append("second"))
    importlib.import_module(module)
    assert sorted(told) == ["first", "second"]


def test_a_module_that_is_there_already() -> None:
    told: list[int] = []
    after_import("sys", lambda: told.append(1))
    assert told == [1]


def test_an_import_that_fails(module: str) -> None:
    told: list[int] = []
    after_import("broken_half_way", lambda: told.append(1))
    with pytest.raises(ImportError, match="no"):
        importlib.import_module("broken_half_way")
    assert told == []


def test_a_module_that_does_not_exist(module: str) -> None:
    after_import("nowhere_to_be_found", lambda: None)
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("nowhere_to_be_found")
