"""Somebody else changes a file while `apply` or `undo` is at it, before each of its calls."""

from __future__ import annotations

import itertools
import re
from typing import Final

import pytest

from tests.faults.ground import Ground
from tests.faults.injection import WRITES, Action, Ended, Fault, Kinds
from tests.faults.trees import TOGETHER, held, unfinished

THEIRS: Final = b"theirs = 1\n"
SAVED: Final = "from pathlib import Path; Path('model.py').write_bytes(b'theirs = 1\\n')"
WAYS: Final = {
    "saved": SAVED,
    "replaced": "from pathlib import Path; Path('new').write_bytes(b'theirs = 1\\n')\n"
    "Path('new').replace('model.py')",
    "gone": "import os; os.unlink('model.py')",
    "linked": "import os; os.rename('model.py', 'moved.py'); os.symlink('moved.py', 'model.py')",
    "folder moved": "import os; os.rename('../tree', '../moved'); os.mkdir('../tree')",
    "a folder instead": "import os; os.unlink('model.py'); os.mkdir('model.py')",
}


@pytest.mark.parametrize("command", ["apply", "undo"])
def test_what_somebody_saves_is_kept(ground: Ground, command: str) -> None:
    arguments = {"apply": ("apply", "."), "undo": ("undo",)}[command]
    first, last = (ground.old, ground.new) if command == "apply" else (ground.new, ground.old)
    refused = 0
    for nth in itertools.count(1):
        ground.begin(applied=command == "undo")
        fault = Fault(nth, Action.CALL, meanwhile=SAVED, kinds=WRITES | Kinds.READS)
        ended = ground.run(*arguments, fault=fault)
        if len(ended.calls) < nth:
            break
        now = held(ground.top)
        assert now.pop("model.py") == THEIRS, ended
        assert unfinished(ground.top) == []
        assert now["masks.py"] in (first["masks.py"], last["masks.py"])
        if ended.status:
            refused += 1
            _is_told(ended)
            assert now["masks.py"] == first["masks.py"], "half a fix"
    assert ended.status == 0
    assert refused > 10


@pytest.mark.parametrize("way", [way for way in WAYS if way != "saved"])
def test_whatever_becomes_of_a_file(ground: Ground, way: str) -> None:
    """Just before the files change places, which is when it would do most harm."""
    ground.begin()
    calls = [call.name for call in ground.run("apply", ".", fault=Fault()).calls]
    places = [at for at, name in enumerate(calls, 1) if name == "renameat2"]
    for nth in places:
        ground.begin()
        ended = ground.run("apply", ".", fault=Fault(nth, Action.CALL, meanwhile=WAYS[way]))
        assert ended.status in (0, 2)
        if ended.status:
            _is_told(ended)
        else:
            assert way == "linked" or nth > min(places), ended
        _judge(ground, way)


def _is_told(ended: Ended) -> None:
    assert ended.status == 2, ended
    assert "Traceback" not in ended.err
    assert re.search(r"(model.py|note.ipynb): error: not ", ended.err), ended


def _judge(ground: Ground, way: str) -> None:
    tree = ground.top / ("moved" if way == "folder moved" else "tree")
    if way != "folder moved":  # nobody can say where they are now
        assert list(ground.top.rglob(".devicefix-*")) == []
    known = {content for name in ground.old for content in (ground.old[name], ground.new[name])}
    found = {path.name: path.read_bytes() for path in tree.iterdir() if path.is_file()}
    assert set(found.values()) <= known | {THEIRS}
    if way == "replaced":
        assert found["model.py"] == THEIRS
    if way == "gone":
        assert "model.py" not in found
    assert set(TOGETHER) - {"model.py"} <= found.keys()
