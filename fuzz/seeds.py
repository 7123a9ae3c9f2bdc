"""What fuzzing begins with: the examples, and the texts that tests have."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
_CASE: Final = re.compile(r"^# (?:case: .*|output *)\n", re.MULTILINE)


def examples(pattern: str = "*.py") -> Iterator[bytes]:
    """The examples, byte for byte."""
    for path in sorted((ROOT / "examples").rglob(pattern)):
        yield path.read_bytes()


def cases() -> Iterator[str]:
    """The programs of the cases of all codemods, before and after."""
    for path in sorted((ROOT / "tests" / "codemods").glob("*/*.py")):
        for text in _CASE.split(path.read_text(encoding="utf-8"))[1:]:
            yield text.strip() + "\n"


def texts_of(folder: str, least: int = 1) -> Iterator[str]:
    """The string literals of at least ``least`` characters in the tests of a room."""
    known: set[str] = set()
    for path in sorted((ROOT / "tests" / folder).glob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_bytes())):
            value = node.value if isinstance(node, ast.Constant) else None
            if isinstance(value, str) and len(value) >= least and value not in known:
                known.add(value)
                yield value


def blobs_of(folder: str) -> Iterator[bytes]:
    """The literals of bytes in the tests of a room."""
    known: set[bytes] = set()
    for path in sorted((ROOT / "tests" / folder).glob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_bytes())):
            value = node.value if isinstance(node, ast.Constant) else None
            if isinstance(value, bytes) and value not in known:
                known.add(value)
                yield value


def encoded(texts: Iterator[str]) -> Iterator[bytes]:
    """``texts`` as UTF-8, those that have it."""
    for text in texts:
        yield text.encode("utf-8", "surrogatepass")
