"""Asked again and again, the parts of a project are those that one finds who asks for the first
time."""

from __future__ import annotations

import random

import pytest

from devicefix.engine import dividing, programs
from devicefix.engine.dividing import Divisions, division
from devicefix.engine.reading import Scan
from devicefix.source import ModuleIndex

NAMES = [f"/p/{folder}/{name}.py" for folder in "abc" for name in "xyz"]


@pytest.mark.parametrize("seed", range(3))
def test_the_same_parts_as_for_the_first_time(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "MOST_FILES", 4)
    monkeypatch.setattr(programs, "MOST_BYTES", 1000)
    found: list[object] = []
    partition = dividing.partition

    def noting(*given: object) -> object:
        found.append(given)
        return partition(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(dividing, "partition", noting)
    chance = random.Random(seed)
    scans = {path: Scan(path, 200, True, ()) for path in NAMES}
    parts = Divisions()
    reused = 0
    for _ in range(200):
        path = chance.choice(NAMES)
        old = scans.get(path)
        if old is None or chance.random() < 0.05:
            scans.pop(path, None)
            if old is None:
                scans[path] = Scan(path, 200, True, ())
        elif chance.random() < 0.3:
            said = f"import {chance.choice('abc')}.{chance.choice('xyz')}"
            scans[path] = Scan(path, old.size, chance.random() < 0.8, (said,))
        else:
            size = chance.choice((old.size + 1, old.size + chance.randint(-60, 60), 330))
            size = 0 if chance.random() < 0.03 else max(0, size)
            scans[path] = Scan(path, size, old.mentions_torch, old.statements)
        now = [scans[name] for name in sorted(scans)]
        modules = ModuleIndex(scan.path for scan in now)
        found.clear()
        told = parts(now, modules)
        reused += not found
        fresh = division(now, modules)
        assert (told.links, told.programs) == (fresh.links, fresh.programs)
        parts = Divisions(parts.made, dict(scans))
    assert reused > 30
