"""Functions that are handed to code that we cannot see: who knows what they are called with."""

from __future__ import annotations

from devicefix.flow.frame import Frame
from devicefix.flow.values import Bound, Function, Value


def note_escape(frame: Frame, value: Value) -> None:
    """Remember ``value`` where it is a function of the program."""
    function = value.function if isinstance(value, Bound) else value
    if isinstance(function, Function):
        frame.analysis.escaped.add(function.tree)
