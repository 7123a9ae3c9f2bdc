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
_OBSERVED: Final = Provenance.__torch_function__.__code__
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
    if found.spot is None and threading.get_ident() != _MAIN and _MAIN is not None:
        waiting = _walk(sys._current_frames().get(_MAIN))
        return waiting._replace(module=found.module, root=found.root)
    return found


def _walk(frame: FrameType | None) -> Standing:
    program: FrameType | None = None
    library: FrameType | None = None
    via: CodeType | None = None
    module: torch.nn.Module | None = None
    root: torch.nn.Module | None = None
    returns = False
    while frame is not None:
        code = frame.f_code
        kind = KINDS[code.co_filename]
        if kind is Kind.TORCH:
            if code is _CALL_IMPL:
                root = frame.f_locals.get("self")
                module = module or root
            elif program is None and library is None and code.co_name not in PLUMBING:
                via = code
        elif kind is Kind.PROGRAM:
            program = program or frame
        elif kind is Kind.LIBRARY:
            library = library or frame
        elif code is _OBSERVED:
            returns = True
        frame = frame.f_back
    stands = program or library
    return Standing(_spot(stands), stands, via, module, root, returns)


def _spot(frame: FrameType | None) -> Spot | None:
    if frame is None:
        return None
    return frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name


def called(frame: FrameType | None, stands: Standing) -> str | None:
    """What the program called at its line, in its own terms: ``.to``, ``torch.nn.Module.cuda``.

    None if it cannot be known: without `Provenance`, functions written in C++ leave no frame.
    """
    if stands.via is not None:
        return named(stands.via)
    while frame is not None and frame is not stands.frame:
        if frame.f_code is _OBSERVED:
            return named(frame.f_locals["func"])
        frame = frame.f_back
    return None


def in_dataset(frame: FrameType | None) -> bool:
    """Whether ``frame`` runs a method of a Dataset: that work belongs on the host."""
    return frame is not None and isinstance(frame.f_locals.get("self"), Dataset)
