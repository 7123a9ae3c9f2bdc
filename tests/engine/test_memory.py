"""What programs leave behind does not add up over a run."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from devicefix.engine import check, interpreter
from devicefix.settings import Settings

_PROGRAMS = 12
_PROGRAM = "import torch\nfrom part{0} import f\n\n\ndef g(x, y):\n    return f(x) + y * 2\n" * 20
_PART = "import torch\n\n\ndef f(x):\n    return torch.ones(2, device='cuda') + x\n"


def test_programs_are_forgotten_as_the_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a collection after each, at the end no more is left than one or two hold."""
    for number in range(_PROGRAMS):
        (tmp_path / f"program{number}.py").write_text(_PROGRAM.format(number))
        (tmp_path / f"part{number}.py").write_text(_PART)
    left = {}
    for much in (0, 10_000_000):
        monkeypatch.setattr(interpreter, "_MUCH", much)
        for _ in range(3):
            gc.collect()  # what other tests have left, and what that has held
        assert len(check([tmp_path], Settings()).files) == _PROGRAMS
        left[much] = gc.collect()

    assert left[0] < 3 * left[10_000_000] / _PROGRAMS


def test_what_a_host_has_frozen_stays_frozen(tmp_path: Path) -> None:
    """A server that forks has told Python not to touch what its children share."""
    (tmp_path / "program.py").write_text(_PROGRAM.format(0))
    try:
        gc.freeze()
        before = gc.get_freeze_count()
        check([tmp_path], Settings())
        assert gc.get_freeze_count() >= before * 0.9  # some of it may have gone
    finally:
        gc.unfreeze()


def test_nothing_stays_frozen_where_nothing_was(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(_PROGRAM.format(0))
    gc.unfreeze()
    check([tmp_path], Settings())
    assert gc.get_freeze_count() == 0


def test_runs_are_forgotten_where_a_process_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An editor, a review, a migration: one run after the other in one process."""
    (tmp_path / "program.py").write_text(_PROGRAM.format(0))
    monkeypatch.setattr(interpreter, "_MUCH", 1)
    left = []
    for runs in (1, _PROGRAMS):
        for _ in range(3):
            gc.collect()
        for _ in range(runs):
            check([tmp_path], Settings())
        left.append(gc.collect())
    assert left[1] < 3 * left[0]
