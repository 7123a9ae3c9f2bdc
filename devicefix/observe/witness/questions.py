"""What the program asks of the device that nobody can answer without one: its name, its memory.

The answer is no result of the program. A line that says the name, or is written by the line of the
program that asked, need not be printed where there is no device.
"""

from __future__ import annotations

import functools
import linecache
import sys
from collections.abc import Callable
from typing import Any, Final

from devicefix.observe.statements import first_line
from devicefix.observe.witness.log import EventLog, Spot
from devicefix.observe.witness.where import in_torch, line_of

_MODULES: Final = ("cuda", "xpu", "mps", "accelerator")
_ASKED: Final = (
    "clock_rate", "get_device_capability", "get_device_name", "get_device_properties",
    "mem_get_info", "memory_summary", "memory_usage", "power_draw", "temperature", "utilization",
)  # fmt: skip
"""Functions that raise where there is no such device, https://docs.pytorch.org/docs/stable/cuda.html
"""
_OURS: Final = "_devicefix_asked"


def note_questions(log: EventLog) -> None:
    """Note each answer that the program gets from now on."""
    import torch

    for name in _MODULES:
        module = getattr(torch, name, None)
        for asked in _ASKED:
            original = getattr(module, asked, None)
            if callable(original) and not hasattr(original, _OURS):
                setattr(module, asked, _noting(log, original, f"torch.{name}.{asked}"))


def _noting(log: EventLog, original: Callable[..., Any], how: str) -> Callable[..., Any]:
    @functools.wraps(original)
    def ask(*args: Any, **kwargs: Any) -> Any:
        answer = original(*args, **kwargs)
        frame = sys._getframe().f_back
        if not in_torch(frame):
            log.saw("asked", how, _statement(line_of(frame)), text=_name(answer))
        return answer

    setattr(ask, _OURS, True)
    return ask


def _statement(at: Spot | None) -> Spot | None:
    """The first line of a statement, which is where it writes from."""
    if at is None:
        return None
    file, line, function, _ = at
    first = first_line(file, line)
    return [file, first, function, linecache.getline(file, first).strip()]


def _name(answer: Any) -> str:
    """The name of the device, if the answer is that, or holds it."""
    name = answer if isinstance(answer, str) else getattr(answer, "name", "")
    return name if isinstance(name, str) and "\n" not in name else ""
