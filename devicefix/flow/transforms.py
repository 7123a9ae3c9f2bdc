"""What the transforms of torchvision make of images: ``ToTensor()``, and lists of transforms."""

from __future__ import annotations

import ast

from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.joins import parts_in
from devicefix.flow.numeric import read_on_host
from devicefix.flow.queries.meaning import meaning
from devicefix.flow.values import PLAIN, Array, External, Instance, Value
from devicefix.torch_api.transforms import (
    COMPOSE,
    FUNCTIONS,
    READERS,
    WRITERS,
    is_applied_to_samples,
    keeps_place,
)


def call_transform(frame: Frame, tree: ast.expr, name: str, args: Arguments) -> Value | None:
    """A transform that makes tensors of images as the function that does so; what that gives.

    None for all others, and for an array: the tensor may share its memory.
    """
    if name in FUNCTIONS:
        return None if isinstance(args.value(0), Array) else frame.host_tensor(tree, "image")
    if name in WRITERS.values() or (name in WRITERS and ".functional." in name):
        read_on_host(frame, tree, args)
        return PLAIN
    if is_applied_to_samples(name):
        _note_transforms(args)
    if name in COMPOSE and args.positional:
        expression, _ = args.positional[0]
        return _composed(frame, expression)
    made = READERS.get(name) or WRITERS.get(name)
    return External(made) if made is not None else None


def _note_transforms(args: Arguments) -> None:
    """Objects of the program among the steps are called for one sample at a time."""
    for part in (part for _, value in args.all() for part in parts_in(value)):
        for record in part.records if isinstance(part, Instance) else ():
            if record.cls is not None and not record.module:
                record.cls.transforms = True


def _composed(frame: Frame, steps: ast.expr | None) -> Value | None:
    """``Compose([…, ToTensor(), …])`` is the step that makes the tensor: all others keep it where
    it is, or deal with the image."""
    calls = [frame.seen.calls.get(step, set()) for step in _written(frame, steps)]
    if not calls or not all(names and all(map(keeps_place, names)) for names in calls):
        return None
    readers = [READERS[name] for names in calls for name in names if name in READERS]
    return External(readers[0]) if len(readers) == 1 else None


def _written(frame: Frame, steps: ast.expr | None) -> list[ast.Call]:
    """The steps of a list that is written out; none where some is no call."""
    named = steps.elts if isinstance(steps, (ast.List, ast.Tuple)) else []
    elements = [meaning(frame.file.source, element) for element in named]
    calls = [element for element in elements if isinstance(element, ast.Call)]
    return calls if len(calls) == len(elements) else []
