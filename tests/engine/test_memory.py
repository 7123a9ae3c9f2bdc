"""What programs leave behind does not add up over a run."""

from __future__ import annotations

import ast
import gc
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from devicefix.engine import check, interpreter
from devicefix.settings import Settings

_PROGRAMS = 12
_PROGRAM = "import torch\nfrom part{0} import f\n\n\ndef g(x, y):\n    return f(x) + y * 2\n" * 20
_PART = "import torch\n\n\ndef f(x):\n    return torch.ones(2, device='cuda') + x\n"


_LEFT = """
import gc, sys
from pathlib import Path
from devicefix.engine import check, interpreter
from devicefix.settings import Settings

def left(runs, much):
    interpreter._MUCH = much
    for _ in range(3):
        gc.collect()  # what was left before, and what that has held
    for _ in range(runs):
        found = len(check([Path(sys.argv[1])], Settings()).files)
    return found, gc.collect()

print([left(*map(int, word.split(","))) for word in sys.argv[2:]])
"""


def left(folder: Path, *orders: tuple[int, int]) -> list[tuple[int, int]]:
    """The files and the objects that are left of so many runs, where so much is collected.

    In a process of its own: ours holds so much more than the programs that to look through it
    takes longer than all the rest.
    """
    words = (f"{runs},{much}" for runs, much in orders)
    command = [sys.executable, "-c", _LEFT, str(folder), *words]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: list[tuple[int, int]] = ast.literal_eval(done.stdout)
    return found


def test_programs_are_forgotten_as_the_run_goes_on(tmp_path: Path) -> None:
    """With a collection after each, at the end no more is left than one or two hold."""
    for number in range(_PROGRAMS):
        (tmp_path / f"program{number}.py").write_text(_PROGRAM.format(number))
        (tmp_path / f"part{number}.py").write_text(_PART)
    (files, one), (_, all_of_them) = left(tmp_path, (1, 0), (1, 10_000_000))
    assert files == _PROGRAMS
    assert one < 3 * all_of_them / _PROGRAMS


@pytest.fixture
def thawed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing is frozen; else the tests themselves are, from their start on."""
    monkeypatch.setattr(interpreter._Keeping, "on", False)
    gc.unfreeze()
    yield
    gc.freeze()


@pytest.mark.usefixtures("thawed")
def test_what_a_host_has_frozen_stays_frozen(tmp_path: Path) -> None:
    """A server that forks has told Python not to touch what its children share."""
    (tmp_path / "program.py").write_text(_PROGRAM.format(0))
    gc.freeze()
    before = gc.get_freeze_count()
    check([tmp_path], Settings())
    assert gc.get_freeze_count() >= before * 0.9  # some of it may have gone


@pytest.mark.usefixtures("thawed")
def test_nothing_stays_frozen_where_nothing_was(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(_PROGRAM.format(0))
    check([tmp_path], Settings())
    assert gc.get_freeze_count() == 0


def test_runs_are_forgotten_where_a_process_goes_on(tmp_path: Path) -> None:
    """An editor, a review, a migration: one run after the other in one process."""
    (tmp_path / "program.py").write_text(_PROGRAM.format(0))
    (_, one), (_, many) = left(tmp_path, (1, 1), (_PROGRAMS, 1))
    assert many < 3 * one
