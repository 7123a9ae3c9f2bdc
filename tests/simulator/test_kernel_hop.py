"""Threads, modes, transforms, exceptions and versions on the way to the CPU's kernel.

The checks are those of `tests/simulator/programs/hop.py`, in a process of their own.
"""

from __future__ import annotations

import ast
import json
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from tests.forking import run_script

PROGRAM: Final = Path(__file__).parent / "programs" / "hop.py"
_HELPERS: Final = {"main", "device_tensor"}
CHECKS: Final = [
    node.name
    for node in ast.parse(PROGRAM.read_text(encoding="utf-8")).body
    if isinstance(node, ast.FunctionDef) and node.name not in _HELPERS
]


@cache
def outcomes() -> dict[str, str | None]:
    done = run_script(PROGRAM)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(line) for line in done.stdout.splitlines())


@pytest.mark.slow
@pytest.mark.parametrize("name", CHECKS)
def test_it_holds(name: str) -> None:
    assert outcomes()[name] is None, outcomes()[name]
