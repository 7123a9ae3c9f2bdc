"""When the power goes, what was not brought to the disk (fsync) may be lost: the order counts.

A file whose content is not there yet must not take the place of another one; the journal has to be
there before the first file of the user's changes, and the files before the journal forgets them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.faults.ground import Ground
from tests.faults.injection import Call, Fault

_RENAMES = ("rename", "renameat2", "link")


def calls_of(ground: Ground, *arguments: str) -> Sequence[Call]:
    ended = ground.run(*arguments, fault=Fault())
    assert ended.status == 0
    return ended.calls


def settled_at(calls: Sequence[Call], folder: Path) -> list[int]:
    return [at for at, call in enumerate(calls) if call[:2] == ("fsync", str(folder))]


def test_what_takes_a_place_is_on_the_disk(ground: Ground) -> None:
    for applied, arguments in ((False, ("apply", ".")), (True, ("undo",))):
        ground.begin(applied=applied)
        unsettled: set[str] = set()
        renamed = 0
        for call in calls_of(ground, *arguments):
            if call.name == "write":
                unsettled.add(call.path)
            elif call.name == "fsync":
                unsettled.discard(call.path)
            elif call.name in _RENAMES:
                renamed += 1
                assert call.path not in unsettled, call
        assert renamed >= 4


def test_the_journal_comes_first(ground: Ground) -> None:
    ground.begin()
    calls = calls_of(ground, "apply", ".")
    state, tree = ground.top / "state", ground.top / "tree"
    first = next(i for i, call in enumerate(calls) if call.other.startswith(str(tree)))
    (written,) = (i for i, c in enumerate(calls[:first]) if c.other.endswith(".begun.json"))
    assert any(written < at < first for at in settled_at(calls, state / "journal"))
    assert any(at < first for at in settled_at(calls, state)), "the journal's own folder is new"
    done = next(i for i, c in enumerate(calls) if c.path.endswith(".begun.json"))
    assert any(first < at < done for at in settled_at(calls, tree))


def test_the_journal_forgets_last(ground: Ground) -> None:
    ground.begin(applied=True)
    calls = calls_of(ground, "undo")
    tree = str(ground.top / "tree")
    last = max(i for i, call in enumerate(calls) if call.other.startswith(tree))
    (gone,) = (i for i, c in enumerate(calls) if c.name == "unlink" and c.path.endswith(".json"))
    assert any(last < at < gone for at in settled_at(calls, Path(tree)))
