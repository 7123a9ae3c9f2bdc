"""What the program leaves in its namespace when it ends."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import torch

from devicefix.observe.witness.log import EventLog
from devicefix.observe.witness.structures import Flattening, callable_only


def note_left(log: EventLog) -> None:
    """One event for each name of ``__main__`` that holds anything of interest."""
    main = sys.modules.get("__main__")
    for name, value in list(vars(main).items() if main is not None else ()):
        if not name.startswith("__") and _may_tell(value):
            leaves = _leaves(log, value)
            if leaves:
                log.saw("left", name, None, leaves)


def _leaves(log: EventLog, value: Any) -> list[dict[str, Any]]:
    try:
        with torch._C.DisableTorchFunction():
            return Flattening(log.room).leaves(value)
    except Exception:  # out of a method of the program's
        return []


def _may_tell(value: Any) -> bool:
    return not isinstance(value, (type, ModuleType)) and not callable_only(value)
