"""Choices between CUDA and the CPU that become the choice of any accelerator."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from devicefix.edits.blocks import is_elif
from devicefix.edits.devices import quoted, renamed
from devicefix.edits.errors import EditError
from devicefix.edits.expressions import replace_expression
from devicefix.edits.numbers import require_first
from devicefix.findings import Edit
from devicefix.flow import Kind
from devicefix.flow.imported import dotted, is_sole, origins, root_name
from devicefix.settings import any_accelerator
from devicefix.source.imports import bindings
from devicefix.torch_api import CHOSEN, IS_AVAILABLE, canonical

if TYPE_CHECKING:
    from devicefix.flow import CudaSite, FileFacts
    from devicefix.oldest_torch import OldestTorch
    from devicefix.source import Source

_HOST: Final = "cpu"
_KIND: Final = "cuda"
_INDEX: Final = re.compile(r"cuda:(.*)")
_BUILT: Final = "torch.backends.mps.is_built"
_PLACES: Final = ("device", "map_location")
_Ladder = Sequence[tuple[str, ast.expr]]
"""The accelerators that are asked for, with what is taken then; the last is the CPU."""


class Choice(Struct, frozen=True):
    """A whole choice, by what is there alone."""

    tree: ast.expr | ast.If
    typed: bool
    """It gives a ``torch.device``, and no string."""


def generic_choice(
    source: Source, facts: FileFacts, oldest: OldestTorch, site: CudaSite
) -> tuple[ast.AST, tuple[Edit, ...]]:
    """What a choice that ``site`` is part of becomes, and the tree that goes.

    Raises ``EditError`` where the string is no part of one.
    """
    assert isinstance(site.tree, ast.expr)
    if not facts.torch:
        raise EditError("torch is not imported in this scope")
    choice = _whole(source, site.tree)
    if choice is not None:
        return choice.tree, _replaced(source, facts, oldest, choice)
    return site.tree, (_part(source, facts, site),)


# -- a whole choice --------------------------------------------------------------------------------


def _whole(source: Source, literal: ast.expr) -> Choice | None:
    """The outermost choice that ``literal`` is taken by, if what is there alone decides."""
    found: Choice | None = None
    tree: ast.AST | None = literal
    while tree is not None and not isinstance(tree, ast.stmt):
        if isinstance(tree, ast.IfExp) and (ladder := _ladder(source, tree)):
            above = source.parent(tree)
            named = isinstance(above, ast.Call) and is_device(source, above)
            typed = _is_typed(source, ladder)
            if named or typed is not None:
                found = Choice(above if named else tree, named or bool(typed))  # type: ignore[arg-type]
        tree = source.parent(tree)
    while isinstance(tree, (ast.Assign, ast.If)):
        if isinstance(tree, ast.If) and not is_elif(source, tree):
            ladder = () if _has_comment(source, tree) else _ladder(source, tree)
            typed = _is_typed(source, ladder) if ladder else None
            return found or (Choice(tree, typed) if typed is not None else None)
        tree = source.parent(tree)
    return found


def _has_comment(source: Source, tree: ast.If) -> bool:
    """Whether a comment would go with the lines of ``tree``."""
    span = source.span(tree)
    return any(span.start <= c.start <= source.line_end(span.end) for c in source.comments.values())


def _ladder(source: Source, tree: ast.IfExp | ast.If) -> _Ladder:
    """The branches of a choice; empty where something else decides, or happens, too."""
    found = list(_rungs(source, tree))
    kinds = [kind for kind, _ in found]
    sure = kinds and kinds[-1] == _HOST and _KIND in kinds and _HOST not in kinds[:-1]
    same = all(_named(source, value) == kind for kind, value in found)
    return found if sure and same and "" not in kinds else ()


def _rungs(source: Source, tree: ast.IfExp | ast.If) -> Iterator[tuple[str, ast.expr]]:
    target = None
    while isinstance(tree, (ast.IfExp, ast.If)):
        asked = _asked(source, tree.test)
        body, target = _value(tree.body, target)
        yield asked if body is not None else "", body or tree.test
        orelse = tree.orelse
        alone = isinstance(orelse, list) and len(orelse) == 1 and isinstance(orelse[0], ast.If)
        if isinstance(orelse, ast.IfExp):
            tree = orelse
        elif alone and isinstance(orelse, list) and isinstance(orelse[0], ast.If):
            tree = orelse[0]
        else:
            last, _ = _value(orelse, target)
            yield (_HOST, last) if last is not None else ("", tree.test)
            return


def _value(
    branch: ast.expr | list[ast.stmt], target: str | None
) -> tuple[ast.expr | None, str | None]:
    """What a branch gives, and what it assigns that to."""
    if isinstance(branch, ast.expr):
        return branch, target
    match branch:
        case [ast.Assign(targets=[one], value=value)] if target in (None, ast.dump(one)):
            return value, ast.dump(one)
    return None, target


def _asked(source: Source, test: ast.expr) -> str:
    """The accelerator for which a condition asks, and nothing else; empty for all others."""
    parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
    names = [_called(source, part) for part in parts]
    kinds = {IS_AVAILABLE[name] for name in names if name in IS_AVAILABLE}
    beside = [n for n in names if n not in IS_AVAILABLE and n not in ("hasattr", _BUILT)]
    return kinds.pop() if len(kinds) == 1 and not beside else ""


def _called(source: Source, tree: ast.expr) -> str:
    if not isinstance(tree, ast.Call):
        return ""
    known = source.once(origins)
    if isinstance(tree.func, ast.Name) and tree.func.id not in known:
        return "hasattr" if tree.func.id == "hasattr" else ""
    sole = is_sole(root_name(tree.func), known, source)
    return "" if tree.args or tree.keywords or not sole else canonical(dotted(tree.func, known))


def _named(source: Source, tree: ast.expr) -> str:
    """``cuda`` of ``"cuda"`` and of ``torch.device("cuda")``."""
    inner = tree.args[0] if isinstance(tree, ast.Call) and is_device(source, tree) else tree
    return str(inner.value) if isinstance(inner, ast.Constant) else ""


def is_device(source: Source, call: ast.Call) -> bool:
    """``torch.device(one)``."""
    name = dotted(call.func, source.once(origins))
    return name == "torch.device" and len(call.args) == 1 and not call.keywords


def _is_typed(source: Source, ladder: _Ladder) -> bool | None:
    """Whether all of it are devices, or strings; None where there are both."""
    typed = {isinstance(value, ast.Call) for _, value in ladder}
    return typed.pop() if len(typed) == 1 else None


def _replaced(
    source: Source, facts: FileFacts, oldest: OldestTorch, choice: Choice
) -> tuple[Edit, ...]:
    """The choice of any accelerator, as a string where one is wanted."""
    device, name = any_accelerator(oldest)
    typed = choice.typed or takes_device(source, facts, choice.tree)
    text = quoted(source, renamed(device if typed else name, facts.torch))
    if isinstance(choice.tree, ast.expr):
        return (replace_expression(source, choice.tree, text),)
    span = source.span(choice.tree)
    branch = choice.tree.body[0]
    assert isinstance(branch, ast.Assign)
    target = source.text[source.span(branch).start : source.span(branch.value).start]
    return (Edit(span.start, span.end, 0, target + text),)


# -- a part of a choice ----------------------------------------------------------------------------


def _part(source: Source, facts: FileFacts, site: CudaSite) -> Edit:
    """``"cuda"`` in a branch that is taken where the program has found CUDA."""
    literal = site.tree
    assert isinstance(literal, ast.expr)
    if not (site.checks and (site.certain or _is_chosen(source, literal))):
        raise EditError("no availability check in this file controls it")
    require_first(source, site)
    name = f"{renamed(CHOSEN, facts.torch)}()"
    parent = source.parent(literal)
    device = isinstance(parent, ast.Call) and _torch_name(source, parent) == "torch.device"
    if isinstance(literal, ast.JoinedStr):
        return _prefixed(source, literal, name)
    assert isinstance(literal, ast.Constant)
    if index := _INDEX.fullmatch(str(literal.value)):
        rest = index[1].replace("{", "{{").replace("}", "}}")
        return replace_expression(source, literal, quoted(source, f'f"{{{name}}}:{rest}"'))
    if literal.value != _KIND:
        raise EditError("it names more than a device")
    if device and isinstance(parent, ast.Call) and len(parent.args) + len(parent.keywords) > 1:
        return replace_expression(source, literal, f"{name}.type")
    if device and isinstance(parent, ast.Call) and parent.args == [literal]:
        return replace_expression(source, parent, name)
    wanted = takes_device(source, facts, _outermost(source, literal))
    return replace_expression(source, literal, name if wanted else f"str({name})")


def _is_chosen(source: Source, literal: ast.AST) -> bool:
    """Whether it is in the first branch of a choice."""
    child, parent = literal, source.parent(literal)
    while parent is not None and not isinstance(child, ast.stmt):
        if isinstance(parent, ast.IfExp):
            return child is parent.body
        child, parent = parent, source.parent(parent)
    return isinstance(parent, ast.If) and child in parent.body


def _outermost(source: Source, literal: ast.expr) -> ast.expr:
    tree: ast.expr = literal
    while isinstance(above := source.parent(tree), ast.IfExp) and tree is not above.test:
        tree = above
    return tree


def _prefixed(source: Source, literal: ast.JoinedStr, name: str) -> Edit:
    """``f"cuda:{i}"`` -> ``f"{torch.accelerator.current_accelerator()}:{i}"``."""
    span = source.span(literal)
    written = re.compile(r"[fF][\"']cuda:").match(source.text, span.start, span.end)
    if written is None:
        raise EditError("this form of f-string is not supported")
    return Edit(span.start + 2, written.end() - 1, 0, f"{{{name}}}")


# -- where a device is wanted ----------------------------------------------------------------------


def takes_device(source: Source, facts: FileFacts, tree: ast.AST) -> bool:
    """Whether all that becomes of ``tree`` takes a ``torch.device`` as well as a string."""
    if isinstance(tree, ast.expr) and _is_place(source, facts, tree):
        return True
    assigned = tree.body[0] if isinstance(tree, ast.If) else source.parent(tree)
    match assigned:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return _is_only_placed(source, facts, name, tree)
    return False


def _is_only_placed(source: Source, facts: FileFacts, name: str, choice: ast.AST) -> bool:
    """Whether nothing but a place is made of a name that nobody else sees or binds."""
    inside = {n for n in ast.walk(choice) if isinstance(n, ast.Assign)}
    if facts.imported or source.once(bindings)[name] > max(len(inside), 1):
        return False
    named = [n for n in source.of_type(ast.Name) if n.id == name]
    reads = [n for n in named if isinstance(n.ctx, ast.Load)]
    shared = [n for n in source.nodes if isinstance(n, (ast.Global, ast.Nonlocal))]
    scoped = not any(name in statement.names for statement in shared)
    return scoped and all(_is_place(source, facts, read) for read in reads)


def _is_place(source: Source, facts: FileFacts, tree: ast.expr) -> bool:
    """``x.to(here)``, ``torch.device(here)``, ``torch.zeros(3, device=here)``."""
    parent = source.parent(tree)
    if isinstance(parent, ast.keyword):
        call = source.parent(parent)
        torch = isinstance(call, ast.Call) and _torch_name(source, call).startswith("torch.")
        return parent.arg in _PLACES and torch
    if not isinstance(parent, ast.Call) or tree is parent.func:
        return False
    known = facts.calls.get(parent)
    moves = known is not None and known.kind is Kind.TORCH and parent.args[:1] == [tree]
    return moves or is_device(source, parent)


def _torch_name(source: Source, call: ast.Call) -> str:
    return canonical(dotted(call.func, source.once(origins)))
