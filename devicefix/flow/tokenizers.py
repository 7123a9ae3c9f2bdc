"""What tokenizers of transformers give: tensors on the CPU, texts, and what nobody has seen."""

from __future__ import annotations

import ast

from devicefix.flow.creation import new_node
from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.values import NONE, PLAIN, Const, External, Tensor, Value
from devicefix.torch_api.tokenizers import TOKENIZER, makes_texts, makes_tokenizer


def call_tokenizer(frame: Frame, tree: ast.expr, name: str, args: Arguments) -> Value | None:
    """What a call has to do with a tokenizer; None for any other."""
    if makes_tokenizer(name):
        return External(TOKENIZER)
    if makes_texts(name):
        return PLAIN
    if name in (TOKENIZER, f"{TOKENIZER}.encode") and not _has_more(args):
        match args.value(None, "return_tensors") or NONE:
            case Const(value=None):
                return PLAIN
            case Const(value="pt"):
                made = _made(frame, tree)
                frame.seen.encodings.update(made.nodes if name == TOKENIZER else ())
                return made
    return None


def _made(frame: Frame, tree: ast.expr) -> Tensor:
    node = new_node(frame, tree, keyword=False, dtype="int64")
    return Tensor(frozenset((node,)), "int64", False, tree, False, constant=True)


def _has_more(args: Arguments) -> bool:
    """``**options``: nobody knows what of."""
    return any(key is None for key, _ in args.keywords)
