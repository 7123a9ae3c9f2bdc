"""What the program saves and loads: modules that are saved as a whole come back where they were."""

from __future__ import annotations

import ast
from typing import Final

from devicefix.flow.analysis import Analysis
from devicefix.flow.escapes import reached
from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.graph import TARGET_NODE, Label
from devicefix.flow.joins import parts_in
from devicefix.flow.observations import Meeting
from devicefix.flow.operands import Operand
from devicefix.flow.values import NONE, Const, Instance, Unknown, as_device

_PICKLES: Final = frozenset({"pickle.dump", "pickle.dumps"})


def note_saved(frame: Frame, tree: ast.expr, args: Arguments) -> None:
    """``torch.save(module, "net.pkl")``: who loads all of it gets it where it was."""
    what, path = args.value(0, "obj"), _file(args.get(1, "f"))
    for part in parts_in(what) if what is not None and path is not None else ():
        for record in part.modules if isinstance(part, Instance) else ():
            frame.seen.saved.setdefault(path, []).append((record.root.node, tree))


def note_pickled(frame: Frame, tree: ast.expr, name: str, args: Arguments) -> None:
    """``pickle.dump(pca, f)``: what is loaded is where it was; no argument of ``load`` says where
    to. https://docs.python.org/3/library/pickle.html#pickle.load"""
    if name in _PICKLES and (what := args.value(0, "obj")) is not None:
        for node in sorted(reached(what)):
            frame.meet(node, tree, "it is pickled: loading it needs the same type of device")


def _file(operand: Operand | None) -> object:
    """The name of a file, or how it is written."""
    tree, value = operand if operand is not None else (None, None)
    if isinstance(value, Const):
        return value.value
    return ast.unparse(tree) if tree is not None else None


def meet_loaders(analysis: Analysis) -> None:
    """Modules that the program also loads, without saying where to."""
    reason = "it is saved and loaded again, and returns to the same device"
    for path in analysis.seen.restored:
        for node, tree in analysis.seen.saved.get(path, ()):
            analysis.meetings.setdefault((node, tree), Meeting(node, tree, reason))


def loaded(frame: Frame, args: Arguments) -> Unknown:
    """What ``torch.load`` returns: its tensors are where ``map_location`` says."""
    place, path = args.value(1, "map_location"), _file(args.get(0, "f"))
    if place in (None, NONE) and path is not None:
        frame.seen.restored[path] = None
    device = as_device(place) if place is not None else None
    on_device = device is not None and device.label is Label.TARGET
    return Unknown("the result of torch.load", frozenset((TARGET_NODE,) if on_device else ()))
