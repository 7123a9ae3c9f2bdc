"""What the program saves and loads: modules that are saved as a whole come back where they were."""

from __future__ import annotations

import ast
from typing import Final

from devicefix.flow.dicts import items_of
from devicefix.flow.escapes import reached
from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.graph import TARGET_NODE, Label
from devicefix.flow.joins import parts_in
from devicefix.flow.tensors import placed
from devicefix.flow.values import (
    NONE,
    Class,
    Const,
    Dtype,
    External,
    Flag,
    Function,
    Instance,
    Listing,
    Mapping,
    ObjectRecord,
    Plain,
    Tensor,
    Tuple,
    Unknown,
    Value,
    as_device,
    is_none,
)

_LOADED: Final = "loading it needs the same type of device"
_PLACELESS: Final = (Class, Const, Dtype, External, Flag, Function, Listing, Mapping, Plain, Tuple)
_PICKLES: Final = frozenset({"pickle.dump", "pickle.dumps"})


def note_saved(frame: Frame, tree: ast.expr, args: Arguments) -> None:
    """``torch.save(module, "net.pkl")``: who loads all of it gets it where it was, in this program
    or in another one, unless ``map_location`` says where to."""
    what = args.value(0, "obj")
    for key, value, _ in items_of(what) if isinstance(what, Mapping) else ():
        saved = frame.seen.saved_items
        saved[key] = saved.get(key, True) and _has_no_place(value)
    for part in parts_in(what) if what is not None else ():
        for record in part.modules if isinstance(part, Instance) else ():
            frame.meet(record.root.node, tree, f"it is saved as a whole: {_LOADED}")


def _has_no_place(value: Value) -> bool:
    """Options, numbers, texts, and containers of these: no tensor is in it."""
    return all(
        part.namespace if isinstance(part, ObjectRecord) else isinstance(part, _PLACELESS)
        for found in parts_in(value)
        for part in (found.records if isinstance(found, Instance) else (found,))
    )


def note_pickled(frame: Frame, tree: ast.expr, name: str, args: Arguments) -> None:
    """``pickle.dump(pca, f)``: what is loaded is where it was; no argument of ``load`` says where
    to. https://docs.python.org/3/library/pickle.html#pickle.load"""
    if name in _PICKLES and (what := args.value(0, "obj")) is not None:
        for node in sorted(reached(what)):
            frame.meet(node, tree, f"it is pickled: {_LOADED}")


def loaded(frame: Frame, tree: ast.expr, args: Arguments) -> Unknown:
    """What ``torch.load`` returns: its tensors are where ``map_location`` says, or where something
    might say, and without objects there are no arrays.
    https://docs.pytorch.org/docs/stable/generated/torch.load.html"""
    where = args.value(1, "map_location") or NONE
    device = as_device(where) if not is_none(where) else None
    on_device = device is not None and device.label is Label.TARGET
    near = frozenset((TARGET_NODE,) if on_device else ())
    tensors = args.value(None, "weights_only") in (None, NONE, Const(True))
    there = placed(frame, tree, Tensor(frozenset()), device, by_name=False).nodes
    if is_none(where):
        there = frozenset((frame.node("loaded", tree),))
    return Unknown("the result of torch.load", near, place=there if tensors else frozenset())
