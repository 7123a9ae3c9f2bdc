"""What is handed to code that we cannot see."""

from __future__ import annotations

from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.joins import tensors_in
from devicefix.flow.values import Bound, Function, Unknown, Value


def note_escape(frame: Frame, value: Value) -> None:
    """Remember a function of the program: who knows what it is called with."""
    function = value.function if isinstance(value, Bound) else value
    if isinstance(function, Function):
        frame.analysis.escaped.add(function.tree)


def near_of(args: Arguments) -> frozenset[int]:
    """The nodes of the tensors among the arguments of code that was not analysed."""
    found = [t.nodes or t.near for _, value in args.all() for t in tensors_in(value)]
    found += [v.near for _, v in args.all() if isinstance(v, Unknown)]
    return frozenset[int]().union(*found)
