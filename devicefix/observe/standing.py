"""Where the program stands while a kernel runs: its line, and the module that is running."""

from __future__ import annotations

import sys
import threading
from types import CodeType, FrameType
from typing import Final, NamedTuple

import torch
from torch.utils.data import Dataset

from devicefix.simulator.places import KINDS, PLUMBING, Kind
from devicefix.simulator.provenance import Provenance, named

_CALL_IMPL: Final = torch.nn.Module._call_impl.__code__
_MODE: Final = "__torch_function__"
_OBSERVED: Final = Provenance.__torch_function__.__code__
_TORCH: Final = Kind.TORCH
_PROGRAM: Final = Kind.PROGRAM
_LIBRARY: Final = Kind.LIBRARY
_MAIN: Final = threading.main_thread().ident

Spot = tuple[str, int, str]
"""File, line and function: quick to hash, unlike a code object."""


class Standing(NamedTuple):
    """Where the program stands."""

    spot: Spot | None
    """The innermost line of the program; None if no frame of it is on the stack."""
    frame: FrameType | None
    via: CodeType | None
    """The outermost function of torch that the program called there, if it is written in Python."""
    module: torch.nn.Module | None
    """The innermost module whose forward is running."""
    root: torch.nn.Module | None
    """The outermost one."""
    returns: bool
    """Whether a call that `Provenance` sees is about to return what the kernel made."""


def standing(frame: FrameType | None) -> Standing:
    """Where the program stands, seen from ``frame``, which lies below it.

    A thread of the autograd engine has no frames of the program: it works for the main thread.
    """
    found = _walk(frame)
    if found.frame is None and threading.get_ident() != _MAIN and _MAIN is not None:
        waiting = _walk(sys._current_frames().get(_MAIN))
        return waiting._replace(module=found.module, root=found.root, returns=False)
    return found


def _walk(frame: FrameType | None) -> Standing:
    """Up to the outermost frame. This runs at every operation, so it looks at names only."""
    program = library = innermost = outermost = via = None
    returns = False
    kinds = KINDS
    while frame is not None:
        code = frame.f_code
        kind = kinds[code.co_filename]
        if kind is _TORCH:
            if code is _CALL_IMPL:
                innermost = innermost or frame
                outermost = frame
            elif program is None and library is None and code.co_name not in PLUMBING:
                via = code
        elif kind is _PROGRAM:
            program = program or frame
        elif kind is _LIBRARY:
            library = library or frame
        elif code is _OBSERVED:
            returns = True
        frame = frame.f_back
    stands = program or library
    return Standing(
        _spot(stands), stands, via, _called_by(innermost), _called_by(outermost), returns
    )


def _called_by(frame: FrameType | None) -> torch.nn.Module | None:
    """The module that a frame of ``Module._call_impl`` calls."""
    return None if frame is None else frame.f_locals.get("self")


def _spot(frame: FrameType | None) -> Spot | None:
    if frame is None:
        return None
    code = frame.f_code
    return code.co_filename, frame.f_lineno, code.co_name


def called(frame: FrameType | None, stands: Standing) -> str | None:
    """What the program called at its line, in its own terms: ``.to``, ``torch.nn.Module.cuda``.

    None if it cannot be known: without a mode of ours, functions written in C++ leave no frame.
    """
    if stands.via is not None:
        return named(stands.via)
    while frame is not None and frame is not stands.frame:
        code = frame.f_code
        if code.co_name == _MODE and KINDS[code.co_filename] is Kind.HIDDEN:
            return named(frame.f_locals["func"])
        frame = frame.f_back
    return None


class _Datasets:
    """Which code objects are methods of a Dataset. Each is asked once.

    Asking reads the locals of a frame, and Python keeps that copy, tensors and all, as long as the
    frame runs. The code objects are kept, so that no other gets the number of one.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[CodeType, bool]] = {}

    def runs(self, frame: FrameType) -> bool:
        code = frame.f_code
        known = self._known.get(id(code))
        if known is None:
            answer = isinstance(frame.f_locals.get("self"), Dataset)
            known = self._known.setdefault(id(code), (code, answer))
        return known[1]


_DATASETS: Final = _Datasets()


def in_dataset(frame: FrameType | None) -> bool:
    """Whether ``frame`` runs a method of a Dataset: that work belongs on the host."""
    return frame is not None and _DATASETS.runs(frame)
