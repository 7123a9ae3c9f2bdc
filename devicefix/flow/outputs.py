"""What models of transformers give: an object whose tensors all live where the model is.

Which of its attributes are tensors is known; it cannot be moved as a whole.
"""

from __future__ import annotations

import ast

from msgspec.structs import replace

from devicefix.flow.frame import Frame
from devicefix.flow.values import Beside, Const, Stream, Tensor, Value
from devicefix.torch_api.model_outputs import OPTIONAL, SEQUENCES, STEPS, TENSORS, TUPLES


def note_output(frame: Frame, tree: ast.expr, node: int) -> None:
    """A call of such a model gives what lives at ``node``."""
    called = tree.func if isinstance(tree, ast.Call) else tree
    generates = isinstance(called, ast.Attribute) and called.attr == "generate"
    frame.seen.outputs[node] = generates


def is_output(frame: Frame, value: Value) -> bool:
    """Whether it is such an object as a whole, and no tensor in it."""
    return isinstance(value, Tensor) and not value.nodes.isdisjoint(frame.seen.outputs)


def part_of_output(frame: Frame, tree: ast.expr, output: Tensor, key: object) -> Value | None:
    """``output.logits``, ``output["logits"]``, ``output[0]``; None: nobody knows what that is."""
    kinds = {frame.seen.outputs.get(node) for node in output.nodes}
    if len(kinds) != 1 or None in kinds:
        return None
    generates = True in kinds
    if key in (STEPS if generates else TUPLES):
        return Stream(_tensor(frame, tree, output))
    if key == 0 or key in (SEQUENCES if generates else TENSORS):
        return replace(_tensor(frame, tree, output), beside=Beside(none=key in OPTIONAL))
    return None


def item_of_output(frame: Frame, tree: ast.Subscript, output: Tensor, index: Value) -> Value | None:
    """The same of an index; nothing but a constant one says which part it means."""
    return part_of_output(frame, tree, output, index.value) if isinstance(index, Const) else None


def something_of(frame: Frame, tree: ast.expr, output: Tensor) -> Tensor:
    """Another part of it, which may be anything."""
    return replace(_tensor(frame, tree, output), beside=Beside(vague=True))


def _tensor(frame: Frame, tree: ast.expr, output: Tensor) -> Tensor:
    node = frame.node("op", tree)
    for whole in output.nodes:
        frame.graph.tie(whole, node)
    return Tensor(frozenset((node,)), raw=False)
