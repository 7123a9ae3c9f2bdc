"""Whether a file defines ``cuda`` itself: what nothing is known of may be an object of its."""

from __future__ import annotations

import ast
import re
from typing import Final

from devicefix.source import Source

DEFINES_CUDA: Final = "def cuda"
"""Stands for the answer of `defines_cuda`, where names of a file are meant."""
_DEF_CUDA: Final = re.compile(r"\bdef[\s\\]+cuda\b")


def defines_cuda(source: Source) -> bool:
    """Whether a file defines a function ``cuda``."""
    if not _DEF_CUDA.search(source.text):  # most are only read, and not all of such a tree is known
        return False
    plain, waiting = source.of_type(ast.FunctionDef), source.of_type(ast.AsyncFunctionDef)
    return any(f.name == "cuda" for f in plain) or any(f.name == "cuda" for f in waiting)
