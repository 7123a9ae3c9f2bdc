"""Tensor types of CUDA, for the device of the program."""

from __future__ import annotations

import ast
import contextlib
from typing import TYPE_CHECKING, Final

from devicefix.edits.arguments import conjoin
from devicefix.edits.calls import replace_method
from devicefix.edits.devices import TRANSFER_RANK, define_device
from devicefix.edits.errors import EditError
from devicefix.edits.expressions import append_call, replace_expression
from devicefix.edits.gaps import outer_span
from devicefix.edits.made import constructed
from devicefix.edits.unwrapping import unwrap
from devicefix.findings import Edit

if TYPE_CHECKING:
    from devicefix.flow import DeviceName, FileFacts, Mention, TypeAlias
    from devicefix.settings import Settings
    from devicefix.source import Source


_CASTS: Final = {
    "bool": "bool",
    "float16": "half",
    "float32": "float",
    "float64": "double",
    "int32": "int",
    "int64": "long",
    "uint8": "byte",
}
"""The method that casts to a dtype."""


def typed_edits(
    source: Source,
    facts: FileFacts,
    settings: Settings,
    mention: Mention,
    *,
    named: bool = False,
) -> tuple[Edit, ...]:
    """``torch.cuda.FloatTensor(3)`` -> ``torch.FloatTensor(3).to(device)``.

    And ``x.type(torch.cuda.FloatTensor)`` -> ``x.to(device, torch.float32)``; with a name for the
    type that is ``named`` to stand for its dtype, ``x.to(device, dtype)``. Raises ``EditError``
    where the program does something else with the type, or nothing names a device.
    """
    tree, call = mention.tree, facts.parents.get(mention.tree)
    casts = isinstance(call, ast.Call) and ast.unparse(call.func).endswith(".type")
    if not isinstance(call, ast.Call) or not (call.func is tree or casts):
        raise EditError("the type is passed to other code")
    if mention.again and call.func is tree:
        return unwrap(source, call, call.args[0])
    short = mention.name.rpartition(".")[2]
    if mention.sent_on and call.func is tree and facts.torch:
        return (replace_expression(source, tree, f"{facts.torch}.{short}"),)
    if mention.sent_on and mention.dtype in _CASTS and len(call.args) == 1 and not call.keywords:
        return (replace_method(source, call, f"{_CASTS[mention.dtype]}()"),)
    if mention.device is None or not facts.torch:
        raise EditError("no device variable is in scope")
    definition = define_device(source, facts, settings, mention.device)
    if call.func is not tree:
        known = facts.calls.get(call)
        text = "" if known and known.keeps_dtype else f"{facts.torch}.{mention.dtype}"
        text = source.segment(tree) if named else text
        return (cast_edit(source, call, mention.device, text), *definition)
    if call.keywords:
        raise EditError("the keywords may name a device")
    with contextlib.suppress(EditError):
        text = mention.device.text
        return (*constructed(source, facts, call, mention.dtype, text), *definition)
    made = replace_expression(source, tree, f"{facts.torch}.{short}")
    moved = append_call(source, call, f".to({mention.device.text})", TRANSFER_RANK)
    return (made, *moved, *definition)


def name_dtype(source: Source, facts: FileFacts, alias: TypeAlias, dtype: str) -> Edit:
    """``dtype = torch.cuda.FloatTensor`` -> ``dtype = torch.float32``, a choice included.

    So is the default in ``def cast(x, dtype=torch.cuda.FloatTensor)``.
    """
    chosen = alias.statement
    bound = chosen.body[0] if isinstance(chosen, ast.If) else chosen
    if facts.torch and isinstance(chosen, ast.arg):
        return replace_expression(source, alias.tree, f"{facts.torch}.{dtype}")
    if not isinstance(bound, ast.Assign) or not facts.torch:
        raise EditError("the file does not import torch")
    span = source.span(chosen)
    text = f"{source.segment(bound.targets[0])} = {facts.torch}.{dtype}"
    return Edit(span.start, span.end, 0, text)


def cast_edit(source: Source, call: ast.Call, device: DeviceName, dtype: str) -> Edit:
    """``x.type(…)`` -> ``x.to(device, dtype)``; without ``dtype`` where that is empty."""
    rest = [f"non_blocking={source.segment(a)}" for a in call.args[1:2]]
    rest += [f"{k.arg}={source.segment(k.value)}" for k in call.keywords]
    if len(call.args) > 2 or any(k.arg in (None, "async", "dtype") for k in call.keywords):
        raise EditError("the arguments are not those of a cast")
    given = [text for text in (device.text, dtype, *rest) if text]
    return replace_method(source, call, f"to({', '.join(given)})")


def question_edits(source: Source, facts: FileFacts, mention: Mention) -> tuple[Edit, ...]:
    """``isinstance(x, Tensor)`` -> ``(isinstance(x, torch.Tensor) and x.dtype == torch.float32)``.

    Raises ``EditError`` where the type is asked for in another way.
    """
    call = facts.parents.get(mention.tree)
    if not (isinstance(call, ast.Call) and len(call.args) == 2 and call.args[1] is mention.tree):
        raise EditError("the type is checked together with others")
    if not isinstance(call.args[0], (ast.Name, ast.Attribute)) or not facts.torch:
        raise EditError("the value that is checked is not a plain name")
    held = source.segment(call.args[0])
    asked = f"isinstance({held}, {facts.torch}.Tensor)"
    text = f"{asked} and {held}.dtype == {facts.torch}.{mention.dtype}"
    alone = isinstance(facts.parents.get(call), (ast.Assert, ast.Assign, ast.If, ast.While))
    return (replace_expression(source, call, text if alone else f"({text})"),)


def ask_in_choice(source: Source, facts: FileFacts, tree: ast.AST) -> tuple[Edit, ...]:
    """``torch.cuda.FloatTensor if gpu_ids else torch.Tensor`` asks for CUDA, too.

    None where there is no such choice, it asks already, the program needs CUDA itself, or torch has
    no name.
    """
    asked = any(mention.tree is tree and mention.guarded for mention in facts.mentions)
    choice = source.parent(tree)
    if not isinstance(choice, ast.IfExp) or choice.body is not tree or asked:
        return ()
    other = ast.unparse(choice.orelse)
    if facts.needs_cuda or not facts.torch or not other.endswith("Tensor") or ".cuda." in other:
        return ()
    question, test = f"{facts.torch}.cuda.is_available()", choice.test
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        return (conjoin(source, test, question),)
    end = outer_span(source, test).end
    return (Edit(end, end, 0, f" and {question}"),)
