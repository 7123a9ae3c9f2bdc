"""Whole programs of Python 2: converted, they print what Python 2.7.18 printed.

``programs/*.txt`` is the output of ``python2.7 programs/*.py2``.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from devicefix.dialect import Surroundings, convert
from devicefix.source import Source

PROGRAMS: Final = Path(__file__).parent / "programs"
NAMES: Final = sorted(path.stem for path in PROGRAMS.glob("*.py2"))


def converted(source: Source) -> str:
    return source.apply(convert(source, Surroundings()).edits)


@pytest.mark.parametrize("name", NAMES)
def test_it_prints_what_python_2_printed(name: str, tmp_path: Path) -> None:
    source = Source.read(PROGRAMS / f"{name}.py2")
    program = tmp_path / "program.py"
    program.write_bytes(source.encode(converted(source)))
    run = subprocess.run(
        [sys.executable, program], capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert run.stderr == ""
    assert run.stdout == (PROGRAMS / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_line_ends_and_places_survive(name: str) -> None:
    unix = Source.read(PROGRAMS / f"{name}.py2")
    dos = Source.from_text(unix.text.replace("\n", "\r\n"))
    assert converted(dos) == converted(unix).replace("\n", "\r\n")
    lines = [unix.position(note.span.start)[0] for note in convert(unix, Surroundings()).notes]
    assert [
        dos.position(note.span.start)[0] for note in convert(dos, Surroundings()).notes
    ] == lines


@pytest.mark.parametrize("name", NAMES)
def test_edits_are_small(name: str) -> None:
    source = Source.read(PROGRAMS / f"{name}.py2")
    edits = convert(source, Surroundings()).edits
    untouched = len(source.text) - sum(edit.end - edit.start for edit in edits)
    assert untouched > 0.8 * len(source.text)


@pytest.mark.parametrize("name", NAMES)
def test_the_last_line_needs_no_end(name: str) -> None:
    text = Source.read(PROGRAMS / f"{name}.py2").text.rstrip("\n")
    new = converted(Source.from_text(text))
    assert not new.endswith("\n")
    ast.parse(new)
