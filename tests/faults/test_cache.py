"""What `check` remembers is a help and no more: it says the same whatever fails, now and later."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from tests.faults.injection import WRITES, Action, Ended, Fault, Injector
from tests.faults.test_each_call import FAILURES
from tests.faults.trees import plant

_SMALL: Final = {"small.py": b"import torch\nnet = torch.nn.Linear(2, 2)\nnet.cuda()\n"}
_WAYS: Final = {
    "killed": [Fault(action=Action.KILL_BEFORE)],
    "failing": FAILURES,
}


@pytest.mark.parametrize("way", _WAYS)
def test_check_says_the_same(injector: Injector, tmp_path: Path, way: str) -> None:
    top, ways = tmp_path / "top", itertools.cycle(_WAYS[way])
    plant(top, _SMALL)
    said = _said(injector.run(top, "check", "--no-cache", "."))
    for nth in itertools.count(1):
        plant(top, _SMALL)
        fault = replace(next(ways), nth=nth, kinds=WRITES)
        ended = injector.run(top, "check", ".", fault=fault)
        if len(ended.calls) < nth:
            break
        assert "Traceback" not in ended.err
        if way == "failing":
            assert _said(ended) == said, fault
        for _ in range(2):  # what was left of that, and what this run keeps
            assert _said(injector.run(top, "check", ".")) == said, fault
    assert nth > 5


def test_a_shared_cache(injector: Injector, tmp_path: Path) -> None:
    """A cache that nobody can write, as one of another user."""
    top = tmp_path / "top"
    plant(top, _SMALL)
    (top / "cache").rmdir()
    (top / "cache").write_bytes(b"a file")
    ended = injector.run(top, "check", ".")
    assert _said(ended) == _said(injector.run(top, "check", "--no-cache", "."))


def _said(ended: Ended) -> tuple[int, str, str]:
    return ended.status, re.sub(r"\d+\.\d+ ?s", "", ended.out), ended.err
