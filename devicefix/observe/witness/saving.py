"""What the program saves with `torch.save`."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from typing import Any

import torch

from devicefix.observe.witness.log import EventLog
from devicefix.observe.witness.structures import Flattening
from devicefix.observe.witness.where import in_torch, line_of


def note_saved(log: EventLog) -> None:
    """Note what is saved from now on."""
    torch.save = torch.serialization.save = _noting(log, torch.serialization.save)


def _noting(log: EventLog, original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def save(obj: Any, f: Any, *args: Any, **kwargs: Any) -> Any:
        frame = sys._getframe().f_back
        if log.ours and not in_torch(frame):
            with torch._C.DisableTorchFunction():
                leaves = Flattening(log.room).leaves(obj)
            log.saw("saved", _name(f), line_of(frame), leaves)
        return original(obj, f, *args, **kwargs)

    return save


def _name(file: Any) -> str:
    """The file as seen from the working directory; the type of what is no file."""
    try:
        path = os.fspath(file)
    except TypeError:
        path = getattr(file, "name", None)
        if not isinstance(path, str):
            return type(file).__name__
    text = os.fsdecode(path)
    try:
        relative = os.path.relpath(text)
    except (OSError, ValueError):
        return text
    return text if relative.startswith(os.pardir) else relative
