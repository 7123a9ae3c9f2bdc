"""What tokenizers and processors of transformers give: tensors on the CPU, texts, and what nobody
has seen."""

from __future__ import annotations

import ast

from devicefix.flow.creation import new_node
from devicefix.flow.escapes import hand_over_all
from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.ir import scope_around
from devicefix.flow.joins import tensors_in
from devicefix.flow.values import NONE, PLAIN, Const, External, Plain, Tensor, Unknown, Value
from devicefix.source.walking import walk
from devicefix.torch_api.tokenizers import (
    NO_TENSORS,
    PROCESSOR,
    TOKENIZER,
    encodes,
    is_of_processor,
    makes_processor,
    makes_texts,
    makes_tokenizer,
    of_part,
)

_PROCESSED = "the output of a processor"


def call_tokenizer(frame: Frame, tree: ast.expr, name: str, args: Arguments) -> Value | None:
    """What a call has to do with a tokenizer or a processor; None for any other."""
    name = of_part(name)
    if makes_tokenizer(name):
        return External(TOKENIZER)
    if makes_processor(name):
        return External(PROCESSOR)
    if makes_texts(name):
        return PLAIN
    if encodes(name) and not _has_more(args):
        match args.value(None, "return_tensors") or NONE:
            case Const(value=None):
                return PLAIN
            case Const(value="pt") if (whole := _gives_all(name, args)) is not None:
                made = _made(frame, tree, "int64")
                frame.seen.encodings.update(made.nodes if whole else ())
                return made
    if name == PROCESSOR or is_of_processor(name):
        return _processed(frame, tree, name, args)
    return None


def _gives_all(name: str, args: Arguments) -> bool | None:
    """Whether it makes a dict, and not the numbers of the words alone; None: nobody knows."""
    if not name.endswith(".apply_chat_template"):
        return not name.endswith(".encode")
    if args.value(None, "tokenize") not in (None, Const(True)):
        return None
    match args.value(None, "return_dict") or Const(False):  # a dict may be moved as a tensor is
        case Const(value=bool() as whole):
            return whole
    return None


def _processed(frame: Frame, tree: ast.expr, name: str, args: Arguments) -> Value:
    """``processor(images=image, return_tensors="pt")``; nobody knows what it makes of tensors, nor
    what another method of it does."""
    asked = name == PROCESSOR and args.value(None, "return_tensors") == Const("pt")
    if not asked or _is_given_more(args) or _is_filled(frame, tree):
        hand_over_all(frame, tree, args, _PROCESSED)
        return Unknown(_PROCESSED)
    made = _made(frame, tree, None)
    frame.seen.encodings.update(made.nodes)
    return made


def _is_given_more(args: Arguments) -> bool:
    """Tensors, a device, or what it makes lists of, which cannot be moved."""
    known = not any(args.value(None, keyword) for keyword in NO_TENSORS) and not _has_more(args)
    texts = (v for _, v in args.positional[1:])
    if not known or not all(_is_text(value) for value in texts):
        return True
    return any(tensors_in(value) for _, value in args.all())


def _is_text(value: Value) -> bool:
    return isinstance(value.value if isinstance(value, Const) else None, str) or (
        isinstance(value, Plain) and value.text
    )


def _is_filled(frame: Frame, tree: ast.expr) -> bool:
    """``batch["image"] = batch["image"].cuda()`` below: the program moves its items one by one, and
    nobody knows which others there are."""
    above = frame.analysis.parents.get(tree)
    targets = above.targets if isinstance(above, ast.Assign) else []
    names = {target.id for target in targets if isinstance(target, ast.Name)}
    return bool(names) and any(
        isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id in names
        for node in walk(scope_around(frame.analysis.parents, tree))
    )


def _made(frame: Frame, tree: ast.expr, dtype: str | None) -> Tensor:
    node = new_node(frame, tree, keyword=False, dtype=dtype)
    return Tensor(frozenset((node,)), dtype, False, tree, False, constant=True)


def _has_more(args: Arguments) -> bool:
    """``**options``: nobody knows what of."""
    return any(key is None for key, _ in args.keywords)
