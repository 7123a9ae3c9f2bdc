"""``.cuda()`` hard-codes CUDA.

## What it does
Rewrites ``x.cuda()`` on tensors and modules to ``x.to(device)``: with an index, with
``non_blocking=``, inside expressions, lists and comprehensions. The device is a variable in scope,
the device of a tensor in scope, or one variable defined once after the imports. What is created
only to be moved (``torch.zeros(3).cuda()``, or ``h = torch.zeros(3)`` above ``h = h.cuda()``) gets
``device=`` instead, if its values are the same on any device. A torch loss or layer without
parameters and buffers has nothing to move: if a device would have to be defined for it alone,
``.cuda()`` is removed. It is also removed from a tensor that the program has already moved to the
accelerator in every run, or that is created from a tensor that is already there
(``torch.zeros_like(x)``). A method ``cuda(self)`` of the program that only moves the attributes of
its object becomes ``to(self, device)``, and all its calls pass the device.

## Why
``.cuda()`` raises on every machine without CUDA, and never uses MPS or XPU.

## Example
```python
model = Net().cuda()
labels = labels.cuda(non_blocking=True)
```
becomes
```python
model = Net().to(device)
labels = labels.to(device, non_blocking=True)
```

## Fix safety
A move under a condition that checks for CUDA, and that stays, is correct as it is. Safe
if the object is definitely a tensor or module: the same call with CUDA, a no-op without. An index
that always comes from the same user option (``--gpu``, a number) is kept, through the program's own
device or the new one. Unsafe with any other index than 0 (it is lost), if the type of the object is
unknown, and if every path of the program also needs CUDA elsewhere. A method ``cuda`` that does
anything else, that other code may call, or whose object has a ``to``, keeps its name and its calls;
a program that needs CUDA (DFX212) is never touched. Storages are
reported (``torch.Storage(8)``, ``x.storage()``), which have no ``.to(device)``, and a move in a
short ``try`` whose handler continues without CUDA: that is how the program checks for CUDA. If the
file sets ``CUDA_VISIBLE_DEVICES``, or forks processes that use CUDA, the new device is defined
after that or in a function, because the check initializes the driver.

## References
- https://docs.pytorch.org/docs/stable/generated/torch.Tensor.cuda.html
- https://docs.pytorch.org/docs/stable/notes/cuda.html#device-agnostic-code
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator, Sequence
from typing import TypeGuard

from devicefix.codemod import Codemod, Context
from devicefix.edits import (
    OWN_MOVES,
    EditError,
    define_device,
    made_before,
    moved,
    remove_method,
    remove_statement,
    take_device,
    ungroup_receiver,
)
from devicefix.findings import Applicability, Edit, Finding, Fix
from devicefix.flow import Kind, Number, TransferCall
from devicefix.flow.scopes import scope_of

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)


class CudaMethod(Codemod):
    """``x.cuda()``."""

    code = "DFX201"
    name = "cuda-method"
    local = True
    ports = True

    def check(self, context: Context) -> Iterator[Finding]:
        guarded = {call for guard in context.facts.guards for call in guard.moves}
        located = {n.tree for n in context.facts.numbers if n.kind is Number.LOCATED}
        for seen in context.facts.calls.values():
            func = seen.call.func
            if not isinstance(func, ast.Attribute) or func.attr != "cuda":
                continue
            given = {*seen.call.args, *(k.value for k in seen.call.keywords)}
            if located & given and seen.kind is not Kind.STORAGE:
                continue  # DFX208 follows the tensor
            if seen.kind is not Kind.OTHER and seen.call not in guarded and not seen.asked:
                yield self._finding(context, seen)

    def _finding(self, context: Context, seen: TransferCall) -> Finding:
        message = "`.cuda()` hard-codes CUDA"
        advice = _why_not(context, seen)
        if seen.kind in (Kind.STORAGE, Kind.OVERRIDDEN):
            return context.finding(self, seen.call, message, None, advice)
        index, rest = _arguments(context, seen.call)
        edits = _taken_away(context, seen)
        try:
            edits = edits or _sent(context, seen, rest)
        except EditError:
            advice = "it cannot be rewritten here"
        sure = seen.kind in (Kind.TORCH, Kind.OWN) and seen.keeps_index
        applicability = Applicability.SAFE if sure else Applicability.UNSAFE
        if seen.own is not None:  # all that the method has to do with is one decision
            applicability = applicability if edits else Applicability.DISPLAY
            fix = Fix(edits, applicability, OWN_MOVES, shared=True)
        elif edits:
            fix = Fix(edits, applicability, f"{self.code}-{context.source.span(seen.call).end}")
        else:
            fix = None
        if edits and not seen.keeps_index:
            advice = f"the device index `{index}` would be lost"
        return context.finding(self, seen.call, message, fix, advice)


def _taken_away(context: Context, seen: TransferCall) -> tuple[Edit, ...]:
    """Without the call, where it moves nothing, and nothing else needs the name that it would."""
    statement = context.facts.parents.get(seen.call)
    listed = isinstance(statement, _COMPREHENSIONS)  # `[x.cuda() for x in xs]` copies the list, too
    # the cells of a notebook run in any order: what one has moved another may have made anew
    needless = seen.needless and not listed and context.source.notebook is None
    needless = needless and not _is_one_of_several(context, statement)
    if not (needless or _is_alone(context, seen)):
        return ()
    with contextlib.suppress(EditError):  # a block must not become empty
        if isinstance(statement, ast.Expr) or _binds_again(statement, seen.call):
            return (remove_statement(context.source, statement),)
        ungrouped = ungroup_receiver(context.source, seen.call)
        return (remove_method(context.source, seen.call), *ungrouped)
    return ()


def _is_one_of_several(context: Context, tree: ast.AST | None) -> bool:
    """``x.cuda(), y.cuda()``, where another one has to move: what is alike is written alike."""
    items = tree.elts if isinstance(tree, ast.Tuple) else []
    moves = [context.facts.calls[i] for i in items if i in context.facts.calls]  # type: ignore[index]
    return not all(move.needless for move in moves)


def _is_alone(context: Context, seen: TransferCall) -> bool:
    """Whether a device would be defined, or asked of a tensor, for what has nothing to move."""
    if not seen.stateless or seen.device is None:
        return False
    if seen.device.follows or not seen.device.preamble:
        return seen.device.follows
    facts = context.facts
    others = [call.device for call in facts.calls.values() if not call.stateless]
    others += [transfer.device for transfer in facts.transfers]
    others += [found.device for found in facts.library]
    others += [mention.device for mention in facts.mentions]
    others += [literal.device for literal in facts.literals]
    others += [number.device for number in facts.numbers]
    return all(o is None or o.preamble != seen.device.preamble for o in others)


def _binds_again(statement: ast.AST | None, call: ast.Call) -> TypeGuard[ast.Assign]:
    """``x = x.cuda()``."""
    match statement, call.func:
        case ast.Assign([ast.Name(bound)]), ast.Attribute(ast.Name(moved)):
            return bound == moved
    return False


def _sent(context: Context, seen: TransferCall, options: Sequence[str]) -> tuple[Edit, ...]:
    """The move to the device that has a name there; nothing where none has."""
    if seen.device is None:
        return ()
    own = take_device(context.source, seen.own) if seen.own is not None else ()
    return (
        *own,
        *_moved(context, seen.call, seen.device.text, options),
        *define_device(context.source, context.facts, context.settings, seen.device),
    )


def _moved(
    context: Context, call: ast.Call, device: str, options: Sequence[str]
) -> tuple[Edit, ...]:
    """``.to(device)``, or ``device=`` for what is made at once, or in the statement before."""
    source, facts = context.source, context.facts
    statement = facts.parents.get(call)
    try:
        assert isinstance(statement, ast.stmt)
        return made_before(source, facts, statement, [call], device)
    except (AssertionError, EditError):
        return moved(source, facts, call, device, options)


def _arguments(context: Context, call: ast.Call) -> tuple[str, list[str]]:
    """The device index as it is written, and the other arguments."""
    index = context.source.segment(call.args[0]) if call.args else ""
    rest = [f"non_blocking={context.source.segment(a)}" for a in call.args[1:2]]
    for keyword in call.keywords:
        text = context.source.segment(keyword.value)
        if keyword.arg == "device":
            index = text
        elif keyword.arg:
            rest.append(f"{keyword.arg}={text}")
    return index, rest


def _why_not(context: Context, seen: TransferCall) -> str:
    if seen.probes:
        return "its error without CUDA is caught: decide how to check for an accelerator instead"
    if seen.kind is Kind.STORAGE:
        return "this is a storage, not a tensor: it has no `.to(device)`"
    if seen.kind is Kind.OVERRIDDEN:
        return "a class of the program overrides `cuda`, which `.to(device)` does not call"
    if seen.device is None and seen.condition:
        none = "no device variable is derived from it: define one that is"
        return f"`{seen.condition}` controls this call, but {none}"
    if seen.device is None and isinstance(scope_of(context.facts.parents, seen.call), ast.Module):
        return "no device variable is in scope: define one, or use the device of a tensor"
    if seen.device is None:
        return (
            "no device variable is in scope for every caller: pass a device in, or use the "
            "device of a tensor"
        )
    return "" if seen.kind in (Kind.TORCH, Kind.OWN) else "the type of the object is unknown"
