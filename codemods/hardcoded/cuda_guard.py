"""A condition checks for CUDA only to decide whether to move things there.

## What it does
Finds ``if torch.cuda.is_available():`` (and options such as ``if args.cuda:``) whose body does
nothing but ``x = x.cuda()`` and ``model.cuda()``, and ternaries such as ``x.cuda() if use_cuda else
x``. The condition is removed, and the moves become ``.to(device)``. A condition with an ``else``
branch is kept, and so are the moves in it: they say no more than the condition does. If everything
that is moved was created in the statements above, these get ``device=`` instead.
``use_cuda = torch.cuda.is_available()`` is removed with its last use.

Conditions that check the machine already work everywhere. Unless something else needs the new
device, either all of them are removed, together with the flag, or none: nothing is changed if one
would remain. A flag of the file that is read elsewhere, too, stays, and the device is built from it
(``torch.device("cuda" if use_cuda else "cpu")``); any other such flag keeps its conditions. A
single condition in a function is kept as well.

## Why
``.to(device)`` does nothing if the object is already there: the condition repeats a decision that
the device already holds.

## Example
```python
if torch.cuda.is_available():
    model.cuda()
    x = x.cuda()
```
becomes
```python
model.to(device)
x = x.to(device)
```

## Fix safety
Safe. If the condition checks a user's option, the new device is built from the same option, once
(``torch.device("cuda" if args.cuda else "cpu")``). If the flag is an argument of a function or
object, its device is built from that argument, so that each value is respected, and only if
everything that is moved is definitely on the CPU before. Conditions on the same option are all
removed, or none; a move under a condition that no device depends on stays ``.cuda()``. So does a
move of something that exists with CUDA only: a name or attribute that is assigned nowhere else, or
is None without CUDA.

## References
- https://docs.pytorch.org/docs/stable/notes/cuda.html#device-agnostic-code
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.codemod import Codemod, Context
from devicefix.edits import (
    OWN_MOVES,
    EditError,
    define_device,
    made_before,
    moved,
    take_device,
    unguard,
    without_statement,
)
from devicefix.findings import Applicability, Edit, Finding, Fix
from devicefix.flow import Guard
from devicefix.source import Source


class CudaGuard(Codemod):
    """``if torch.cuda.is_available(): x = x.cuda()``."""

    code = "DFX204"
    name = "cuda-guard"
    local = True
    ports = True

    def check(self, context: Context) -> Iterator[Finding]:
        for guard in context.facts.guards:
            message = "the condition only decides whether to move to CUDA"
            edits = _written(context, guard)
            if not edits:
                advice = "no device variable is in scope"
                fix = Fix((), Applicability.DISPLAY, OWN_MOVES, shared=True) if guard.own else None
                yield context.finding(self, guard.tree.test, message, fix, advice)
                continue
            group = guard.option or context.source.span(guard.tree).start
            name, shared = f"{self.code}-{group}", bool(guard.option) and guard.works
            if guard.own:
                name, shared = OWN_MOVES, True
            fix = Fix(edits, Applicability.SAFE, name, shared)
            yield context.finding(self, guard.tree.test, message, fix)
        yield from self._flags(context)

    def _flags(self, context: Context) -> Iterator[Finding]:
        """Those whose last use a fix has taken."""
        for flag in context.facts.unread_flags:
            (name,) = flag.targets
            if not (isinstance(name, ast.Name) and context.was_read(name.id)):
                continue
            try:
                edit = without_statement(context.source, flag)
            except EditError:
                continue
            group = f"{self.code}-{context.source.span(flag).start}"
            fix = Fix((edit,), Applicability.SAFE, group)
            yield context.finding(self, flag, "this is no longer used", fix)


def _written(context: Context, guard: Guard) -> tuple[Edit, ...]:
    try:
        return _edits(context, guard)
    except EditError:
        return ()


def _edits(context: Context, guard: Guard) -> tuple[Edit, ...]:
    source, facts = context.source, context.facts
    if _is_needless(context, guard):
        return (without_statement(source, guard.tree),)  # type: ignore[arg-type]
    edits: list[Edit] = []
    moves: list[Edit] = []
    devices = set[str]()
    for call in guard.moves:
        device = facts.calls[call].device
        if guard.follows:
            text = guard.follows
        elif device is not None:
            text = device.text
            edits += define_device(source, facts, context.settings, device)
        else:
            return ()
        if (own := facts.calls[call].own) is not None:
            edits += take_device(source, own)
        options = [f"{k.arg}={source.segment(k.value)}" for k in call.keywords if k.arg != "device"]
        devices.add(text)
        moves += moved(source, facts, call, text, options)
    if isinstance(guard.tree, ast.IfExp):
        return _ternary(context, guard.tree, [*edits, *moves])
    if len(devices) == 1 and (made := _made(context, guard, devices.pop())):
        return (*edits, *made)
    edits += moves
    for statement in guard.rest:
        if _is_commented(source, source.span(guard.tree).end, source.span(statement).end):
            return ()
        edits.append(without_statement(source, statement))
    opened = unguard(source, guard.tree)
    # the lines of a rewritten call are gone: there is nothing left to dedent
    kept = [e for e in opened if not any(m.start < e.start and e.end < m.end for m in edits)]
    return (*edits, *kept)


def _is_needless(context: Context, guard: Guard) -> bool:
    """Whether all that it moves is there already, and it does nothing else."""
    if not isinstance(guard.tree, ast.If) or guard.tree.orelse or guard.rest:
        return False
    span = context.source.span(guard.tree)
    if _is_commented(context.source, span.start, span.end):
        return False
    moves = [n for s in guard.tree.body for n in ast.walk(s) if n in context.facts.calls]
    known = [call for call in guard.moves if context.facts.calls[call].needless]
    # the cells of a notebook run in any order: what one has moved another may have made anew
    return len(known) == len(moves) and context.source.notebook is None


def _is_commented(source: Source, start: int, end: int) -> bool:
    """Whether a comment begins between two places of the text."""
    return any(start <= span.start < end for span in source.comments.values())


def _made(context: Context, guard: Guard, device: str) -> tuple[Edit, ...]:
    """``device=`` for what the statements before the condition make."""
    assert isinstance(guard.tree, ast.If)
    alone = not guard.tree.orelse
    try:
        source, facts = context.source, context.facts
        return made_before(source, facts, guard.tree, guard.moves, device) if alone else ()
    except EditError:
        return ()


def _ternary(context: Context, tree: ast.IfExp, edits: list[Edit]) -> tuple[Edit, ...]:
    """Keep what the branch with the move says, rewritten; drop the rest of the ternary."""
    body, whole = context.source.span(tree.body), context.source.span(tree)
    tail = Edit(body.end, whole.end, 0, "")
    return (*edits, tail) if body.start == whole.start else ()
