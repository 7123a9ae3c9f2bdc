"""What tokenizers of transformers make of texts: a dict of tensors, with a method that moves it."""

from __future__ import annotations

import ast

from devicefix.flow.frame import Frame
from devicefix.flow.values import Bound, Tensor, Unknown, Value
from devicefix.torch_api.tokenizers import FIELDS, OF_DICTS

_OTHER = "other data of a tokenizer output"


def is_encoding(frame: Frame, value: Value) -> bool:
    """Whether it is such a dict as a whole, and no tensor in it."""
    return isinstance(value, Tensor) and not value.nodes.isdisjoint(frame.seen.encodings)


def part_of(frame: Frame, tree: ast.expr, encoding: Tensor) -> Tensor:
    """``inputs["input_ids"]``: a tensor that is where all of it is."""
    node = frame.node("op", tree)
    for whole in encoding.nodes:
        frame.graph.tie(whole, node)
    known = "int64" if encoding.dtype == "int64" else None  # of numbers of words
    return Tensor(frozenset((node,)), known, raw=False)


def attribute_of_encoding(frame: Frame, tree: ast.expr, holder: Tensor, name: str) -> Value:
    """``inputs.input_ids``, ``inputs.to``; nothing else of it is known."""
    if name in FIELDS:
        return part_of(frame, tree, holder)
    if name in OF_DICTS:
        return Bound(holder, name)
    for node in sorted(holder.nodes):
        frame.meet(node, tree, _OTHER)
    return Unknown(_OTHER)


def store_into(frame: Frame, tree: ast.expr, holder: Tensor, value: Value) -> None:
    """``inputs["labels"] = y`` puts it beside the others: a model takes all of them."""
    for node in sorted(holder.nodes):
        frame.use(None, value, node)
        if not isinstance(value, Tensor):
            frame.meet(node, tree, "an item of a tokenizer output")
