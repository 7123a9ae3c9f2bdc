"""Which line of the program stands behind what torch is doing now."""

from __future__ import annotations

import sys
import sysconfig
from enum import Enum
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, FrameType
from typing import Final

HOME: Final = str(Path(__file__).parent.parent)
"""Where devicefix lies: its own frames are never the program's."""

_STANDARD: Final = tuple(
    {sysconfig.get_path(name) for name in ("stdlib", "platstdlib")} - {None, ""}
)
_INSTALLED: Final = ("/site-packages/", "/dist-packages/")
_GENERATED: Final = ("<frozen ", "<eval_with_key>", "<__array_function__", "<attrs ")

PLUMBING: Final = frozenset(
    {
        "__torch_function__",
        "__torch_dispatch__",
        "handle_torch_function",
        "_wrapped_call_impl",
        "_call_impl",
        "wrapper",
        "wrapped",
        "inner",
        "_fn",
        "fn",
        "decorate_context",
        "profile_hook_step.<locals>.wrapper",
        "_use_grad",
        "_apply",
        "convert",
        "<lambda>",
        "<genexpr>",
        "<listcomp>",
    }
)
"""Functions inside torch that nobody calls by name, so that they say nothing of what was called."""


class Kind(Enum):
    """Whose code a file holds."""

    PROGRAM = "program"
    LIBRARY = "library"
    TORCH = "torch"
    HIDDEN = "hidden"


_PROGRAM: Final = Kind.PROGRAM
_TORCH_CODE: Final = Kind.TORCH
_LIBRARY: Final = Kind.LIBRARY


def kind_of(filename: str) -> Kind:
    """Whose code a code object's file holds; pseudo files such as ``<stdin>`` are the program's."""
    if filename.startswith(_GENERATED):
        return Kind.HIDDEN
    if filename.startswith("<"):
        return Kind.PROGRAM
    if _inside(filename, _torch()):
        return Kind.TORCH
    if _inside(filename, HOME):
        return Kind.HIDDEN
    if any(part in filename for part in _INSTALLED):
        return Kind.LIBRARY
    if any(_inside(filename, folder) for folder in _STANDARD):
        return Kind.HIDDEN
    return Kind.PROGRAM


def _inside(filename: str, folder: str) -> bool:
    return filename.startswith(folder + "/")


@lru_cache(maxsize=1)
def _torch() -> str:
    """Where torch lies, which need not have been imported yet."""
    module = sys.modules.get("torch")
    file = getattr(module, "__file__", None) or getattr(find_spec("torch"), "origin", None)
    return str(Path(file).parent) if file else "<no torch>"


class _Kinds(dict[str, Kind]):
    """One answer per file: asked for every frame below every operation."""

    def __missing__(self, filename: str) -> Kind:
        return self.setdefault(filename, kind_of(filename))


KINDS: Final = _Kinds()
"""The answers of `kind_of` so far. They depend on the name alone, so sharing them is harmless."""

Site = tuple[CodeType, int, "CodeType | None"]
"""The program's code object and line, and the outermost function of torch that it called there."""


def site(frame: FrameType | None) -> Site | None:
    """Where the program stands, seen from a frame below it; None if it has none on the stack.

    Code of installed packages counts only where there is no other.
    """
    library: Site | None = None
    via: CodeType | None = None
    while frame is not None:
        code = frame.f_code
        kind = KINDS[code.co_filename]
        if kind is _PROGRAM:
            return code, frame.f_lineno, via
        if kind is _TORCH_CODE:
            if library is None and code.co_name not in PLUMBING:
                via = code
        elif kind is _LIBRARY and library is None:
            library = code, frame.f_lineno, via
        frame = frame.f_back
    return library
