"""Stamps of storages as lines with their text."""

from __future__ import annotations

import ast
from typing import Final

import torch

from devicefix.observe.explanation import Ancestor, Origin, Place, place
from devicefix.observe.statements import expressions
from devicefix.simulator.provenance import SOMETHING, Step, stamp_of

_HIDDEN: Final = frozenset(
    {
        "BFloat16Tensor",
        "BoolTensor",
        "ByteTensor",
        "CharTensor",
        "DoubleTensor",
        "FloatTensor",
        "HalfTensor",
        "IntTensor",
        "LongTensor",
        "ShortTensor",
        "Tensor",
        "from_dlpack",
        "from_numpy",
        "frombuffer",
    }
)
"""Constructors that torch lets no mode see."""


def origin_of(tensor: torch.Tensor) -> Origin:
    """Where ``tensor`` comes from; all None if nobody saw it."""
    stamp = stamp_of(tensor)
    if stamp is None:
        return Origin()
    created, moved = stamp.created, stamp.moved
    if moved is None:
        ancestors = tuple(Ancestor(_how(one), _place(one)) for one in stamp.ancestors)
        return Origin(_how(created), _place(created), ancestors=ancestors)
    return Origin(_how(created), _place(created), _place(moved), moved.how)


def _how(step: Step) -> str:
    """What made it. Where only the line is known: the first call there that torch hides."""
    if step.how != SOMETHING:
        return step.how
    code = step.code
    found = expressions(code.co_filename, step.line)
    names = [ast.unparse(node.func) for node in found if isinstance(node, ast.Call)]
    hidden = [name for name in names if name.rpartition(".")[2] in _HIDDEN]
    return hidden[0] if hidden else SOMETHING


def _place(step: Step) -> Place:
    return place(step.code.co_filename, step.line, step.code.co_name)
