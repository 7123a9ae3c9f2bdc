"""What a constructor of a library does to an object of a class of the program."""

from __future__ import annotations

import ast
from typing import TypeGuard

from devicefix.flow.escapes import hand_over_all, has_unseen_base, keeps_items
from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.modules import adopt_arguments
from devicefix.flow.optimizers import hold_parameters
from devicefix.flow.values import NONE, Instance, Value


def initialized(frame: Frame, tree: ast.Call, receiver: Instance, args: Arguments) -> Value:
    """A constructor of a library is called for an object of the program."""
    for record in receiver.modules:
        adopt_arguments(frame, record, args)
    for record in receiver.records:
        hold_parameters(frame, record, args)
    classes = [r.cls for r in receiver.records if r.cls and not r.module]
    if any(has_unseen_base(cls) or keeps_items(cls) for cls in classes):
        hand_over_all(frame, tree, args, "a constructor that was not analysed")
    return NONE


def has_base(value: Value | None, name: str) -> TypeGuard[Instance]:
    """Whether it is an object of the program, of a class with this base."""
    return isinstance(value, Instance) and all(
        record.cls is not None and name in record.cls.library_bases() for record in value.records
    )
