"""What may repair a symptom: edits where a run saw a value made, bound or used, the best first."""

from __future__ import annotations

import ast
import builtins
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from devicefix.observe.advice import FACTORIES
from devicefix.records import Failure, Held, Operand, Place
from devicefix.settings import Settings
from devicefix.verification.loop import sites
from devicefix.verification.loop.draft import Draft
from devicefix.verification.loop.idling import left_on_the_host
from devicefix.verification.loop.lacking import not_pinned, without_float64
from devicefix.verification.loop.naming import Seen, exact_names
from devicefix.verification.loop.rearranging import (
    generators_of_the_cpu,
    kept_on_the_cpu,
    makes_generator,
    moved_earlier,
)
from devicefix.verification.loop.symptoms import Fault, Idle, Symptom
from devicefix.verification.loop.writing import Editor, Move, Rewrite, Site

_ITEM: Final = re.compile(r"(\w+)\[\d+\]")
_GIVEN: Final = 3
"""Arguments of one line that are tried, where nothing says which it was."""
_ORIGINS: Final = 5
"""Values that something may have been made of."""
_ON_THE_HOST: Final = frozenset({"__getitem__", "__iter__", "__next__"})
"""Methods that loaders call, maybe in processes of their own."""
_READERS: Final = frozenset({"numpy", "__array__", "pin_memory", "tolist"})


@dataclass(frozen=True, slots=True)
class Repair:
    """One way to go on."""

    draft: Draft
    words: str
    """What it does, as a sentence without its stop."""
    at: Place
    """The line that it changes, or what binds the value, before the change."""


def repairs(symptom: Symptom, draft: Draft, settings: Settings) -> Iterator[Repair]:
    """All repairs of ``symptom`` that can be written, the best first."""
    seen: set[tuple[tuple[str, bytes], ...]] = set()
    for proposal in _Proposals(Editor(draft, settings)).of(symptom):
        new = proposal.editor.written(list(proposal.moves))
        key = tuple(sorted(new.texts.items())) if new is not None else ()
        if new is not None and key not in seen:
            seen.add(key)
            yield Repair(new, proposal.words, proposal.moves[0].site.at())


@dataclass(frozen=True, slots=True)
class _Proposal:
    editor: Editor
    words: str
    moves: tuple[Move | Rewrite, ...]


class _Proposals:
    """Where each value could be moved."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor

    def of(self, symptom: Symptom) -> Iterator[_Proposal]:
        """What may help; some of it cannot be written."""
        match symptom:
            case Idle():
                yield from self._of_idle(symptom)
            case Fault() if symptom.is_read_by_host:
                yield from self._brought_back(symptom)
            case Fault() if symptom.is_mixed and symptom.is_between_accelerators:
                yield from self._sent_on(symptom)
            case Fault() if symptom.is_mixed:
                yield from self._brought_together(symptom)
                yield from self._rewritten(moved_earlier(self._editor, symptom.failure))
                yield from self._moved_origins(symptom)
                yield from self._fetched_where_called(symptom)
            case Fault() if symptom.failure.about == "generator":
                yield from self._drawn_on_the_cpu(symptom)
                yield from self._rewritten(generators_of_the_cpu(self._editor))
                yield from self._generators_there(symptom)
            case Fault() if symptom.failure.about == "fork":
                yield from self._rewritten(kept_on_the_cpu(self._editor, symptom.failure))
            case Fault() if symptom.failure.about == "float64":
                running = list(self._running(symptom.failure))
                yield from self._rewritten(without_float64(running[:1]))
            case Fault() if symptom.failure.about == "pinning":
                yield from self._rewritten(not_pinned(self._editor))
            case Fault() if symptom.failure.about == "gradient":
                yield from self._gradients(symptom.failure)

    def _rewritten(self, found: Iterable[tuple[str, tuple[Rewrite, ...]]]) -> Iterator[_Proposal]:
        return (_Proposal(self._editor, words, rewrites) for words, rewrites in found)

    def _one(self, words: str, *moves: Move) -> _Proposal:
        return _Proposal(self._editor, words, moves)

    # Modules that stayed on the CPU ---------------------------------------------------------------

    def _of_idle(self, symptom: Idle) -> Iterator[_Proposal]:
        """All of them at once, then each by itself."""
        moves = {
            name: move
            for root in symptom.roots
            for name, move in self._modules(root.holders, Seen(root.devices))
        }
        if len(moves) > 1:
            yield self._one(
                f"{_listed(list(moves))} are moved where they are created", *moves.values()
            )
        yield from (self._moved_module(*one) for one in moves.items())
        for words, changes in left_on_the_host(self._editor, symptom):
            yield _Proposal(self._editor, words, changes)

    def _modules(self, owners: Sequence[Held], seen: Seen) -> Iterator[tuple[str, Move]]:
        """The outermost variable with the module whose assignment is found, and its move."""
        for one in reversed(owners):
            move = self._where_bound(one, seen)
            if move is not None:
                yield one.variable, move
                return

    def _where_bound(self, one: Held, seen: Seen) -> Move | None:
        """The move of a variable where it gets its value; None where that is not known."""
        site = self._editor.site(one.at)
        bound = _bound(site, one.variable) if site is not None else None
        if site is None or bound is None:
            return None
        target = sites.value_of(bound, one.variable)
        if target is None and not one.variable.isidentifier():
            return None
        return Move(replace(site, statement=bound), target or one.variable, seen)

    def _moved_module(self, name: str, move: Move) -> _Proposal:
        return self._one(f"the module `{name}` is moved where it is created", move)

    # Operands that have to be together ------------------------------------------------------------

    def _brought_together(self, fault: Fault) -> Iterator[_Proposal]:
        seen = Seen(fault.failure.devices, fault.anchors)
        if fault.needs_float64:
            running = list(self._running(fault.failure))
            yield from self._rewritten(without_float64(running[:1]))
        for stray in fault.strays:
            if stray.registered:
                owned = self._modules(stray.owners, seen)
                yield from (self._moved_module(*one) for one in owned)
            yield from self._computed_there(fault.failure, stray, seen)
            if stray.registered:
                yield from self._built_there(stray, seen)
            yield from self._made_there(fault.failure, stray, seen, running=True)
            if fault.is_changed(stray) or self._is_written(stray):  # not a copy of it
                yield from self._made_anew(stray, seen)
            else:
                yield from self._moved_where_bound(stray, seen)
                yield from self._moved_where_used(stray, seen)
            yield from self._moved_where_put(stray, seen)
            yield from self._made_there(fault.failure, stray, seen, running=False)
        if not any(stray.holders or self._is_made_inside(stray, fault) for stray in fault.strays):
            yield from self._moved_inputs(fault, seen)
            yield from self._moved_arguments(fault.failure, seen)
        if fault.failure.about == "index":
            yield from self._brought_back(fault)

    def _built_there(self, stray: Operand, seen: Seen) -> Iterator[_Proposal]:
        """The module that has it is moved by the very call that makes it, in a forward maybe.

        So is a tensor that something else than a factory makes.
        """
        site = self._editor.site(stray.created) if stray.created is not None else None
        if site is None or stray.how in FACTORIES:
            return
        calls = sites.calls_of(site.statement, stray.how)
        if calls:
            words = f"`{ast.unparse(calls[0])}` is moved where it is created"
            yield self._one(words, *(Move(site, call, seen) for call in calls))

    def _is_written(self, stray: Operand) -> bool:
        """Whether a function that holds it changes it in place."""
        held = ((self._editor.site(one.at), one.variable) for one in stray.holders)
        return any(
            sites.is_written(site.source, site.statement, name) for site, name in held if site
        )

    def _made_anew(self, stray: Operand, seen: Seen) -> Iterator[_Proposal]:
        """The very tensor, where a variable gets it from what makes it."""
        for one in reversed(stray.holders):
            move = self._where_bound(one, seen)
            if move is not None and isinstance(move.target, ast.Call):
                yield self._one(f"`{one.variable}` is moved where it is assigned", move)
        yield from self._built_there(stray, seen)

    def _sent_on(self, fault: Fault) -> Iterator[_Proposal]:
        """To the accelerator of what is met, where it is used: elsewhere it may be needed too."""
        for stray in fault.strays:
            others = tuple(o for o in fault.failure.operands if o.device != stray.device)
            seen = Seen(fault.failure.devices, others)
            for one in stray.holders:
                site = self._editor.site(one.at)
                found = sites.uses(site.source, site.statement, one.variable) if site else []
                if site is not None and found:
                    yield from self._sent(site, found, seen)
            for site in list(self._running(fault.failure))[:1] if not stray.holders else ():
                for value in _made(site)[:_GIVEN]:
                    yield from self._sent(site, [value], seen)

    def _sent(self, site: Site, values: list[ast.expr], seen: Seen) -> Iterator[_Proposal]:
        for name in exact_names(site.source, site.statement, seen):
            exact = replace(seen, exactly=name)
            words = f"`{ast.unparse(values[0])}` is moved to `{name}` where it is used"
            yield self._one(words, *(Move(site, value, exact) for value in values))

    def _drawn_on_the_cpu(self, fault: Fault) -> Iterator[_Proposal]:
        """A draw with a generator of the CPU takes its operand there, and goes to the device."""
        seen = Seen(fault.failure.devices)
        for site in list(self._running(fault.failure))[:1]:
            for call in sites.expressions(site.statement):
                if isinstance(call, ast.Call) and any(k.arg == "generator" for k in call.keywords):
                    words = f"`{ast.unparse(call)}` is sampled on the CPU"
                    draws = [Move(site, value, None) for value in call.args[:1]]
                    yield self._one(words, *draws, Move(site, call, seen))

    def _made_there(
        self, failure: Failure, stray: Operand, seen: Seen, *, running: bool
    ) -> Iterator[_Proposal]:
        """``device=`` for a factory in a function that is ``running``, or at the top of a file.

        Else in one that has returned: it may have other callers, so that comes late.
        """
        created = stray.created
        if created is None or stray.how not in FACTORIES or stray.moved is not None:
            return
        known = {(os.path.realpath(f.file), f.function) for f in failure.traceback}
        here = os.path.realpath(created.file), created.function
        is_running = here in known or created.function == "<module>"
        site = self._editor.site(created) if is_running is running else None
        if site is None or created.function in _ON_THE_HOST:
            return
        calls = sites.calls_of(site.statement, stray.how)
        moves = [
            Move(site, call, seen, keyword=True)
            for call in calls
            if call.lineno <= created.line <= (call.end_lineno or call.lineno)
            and not any(keyword.arg == "generator" for keyword in call.keywords)
        ]
        if moves:
            yield self._one(f"{_called(stray)} is created on the device", *moves)

    def _computed_there(self, failure: Failure, stray: Operand, seen: Seen) -> Iterator[_Proposal]:
        """The factories that it was computed of, where callers of what holds it have made them.

        A function is not to move what one of its callers forgot.
        """
        holding = {(one.at.file, one.at.function) for one in stray.holders}
        for one in stray.ancestors:
            if (one.created.file, one.created.function) not in holding:
                made = replace(stray, how=one.how, created=one.created, variable=one.how)
                yield from self._made_there(failure, made, seen, running=True)

    def _moved_where_bound(self, stray: Operand, seen: Seen) -> Iterator[_Proposal]:
        """Outermost first: so all that it is given to has it there."""
        for one in reversed(stray.holders):
            move = self._where_bound(one, seen)
            if move is not None:
                yield self._one(f"`{one.variable}` is moved where it is assigned", move)

    def _moved_where_used(self, stray: Operand, seen: Seen) -> Iterator[_Proposal]:
        for one in reversed(stray.holders):
            site = self._editor.site(one.at)
            found = sites.uses(site.source, site.statement, one.variable) if site else []
            if site is not None and found:
                words = f"`{one.variable}` is moved where it is used"
                yield self._one(words, *(Move(site, use, seen) for use in found))

    def _moved_where_put(self, stray: Operand, seen: Seen | None) -> Iterator[_Proposal]:
        """What is an item of a list, where the list gets it."""
        for one in stray.holders:
            found = _ITEM.fullmatch(one.variable)
            site = self._editor.site(one.at) if found is not None else None
            put = sites.put_into(site.source, site.statement, found[1]) if site and found else []
            if site is not None and put:
                words = f"`{one.variable}` is moved where it is added to the list"
                yield self._one(words, *(Move(site, value, seen) for value in put))

    def _moved_arguments(self, failure: Failure, seen: Seen) -> Iterator[_Proposal]:
        """A value that no variable has: what is made in the arguments of a running line."""
        for site in self._running(failure):
            for value in _made(site)[:_GIVEN]:
                words = f"`{ast.unparse(value)}` is moved where it is passed"
                yield self._one(words, Move(site, value, seen))

    def _moved_inputs(self, fault: Fault, seen: Seen) -> Iterator[_Proposal]:
        """What the operand may have been computed of: tensors on the CPU in the running lines.

        Where they are bound, outermost first; then where they are used.
        """
        inputs = fault.failure.on_host[:_GIVEN]
        likes = [replace(fault.strays[0], variable=x.variable, holders=(x,)) for x in inputs]
        for like in reversed(likes):
            yield from self._moved_where_bound(like, seen)
        for like in likes:
            yield from self._moved_where_used(like, seen)

    def _moved_origins(self, fault: Fault) -> Iterator[_Proposal]:
        """What something was made of that no variable has, as the state of an optimizer.

        The names in the line that made it, and in those that gave the running lines their objects.
        """
        seen = Seen(fault.failure.devices)
        strays = (s for s in fault.strays if not s.holders and s.how not in FACTORIES)
        running = {(frame.file, frame.line) for frame in fault.failure.traceback}
        places = (stray.created for stray in strays if stray.created is not None)
        made = [self._editor.site(x) for x in places if (x.file, x.line) not in running]
        lines = [site for site in made if site is not None]
        if made:
            lines += [there for here in self._running(fault.failure) for there in _givers(here)]
        moves: dict[ast.AST, tuple[str, Move]] = {}
        for site in lines:
            read = [*sites.names_read(site.statement), *sites.attributes_read(site.statement)]
            for name in read:
                move = self._where_bound(Held(name, site.at()), seen)
                move = move or _where_passed_on(site, name, seen)
                if move is not None:
                    moves.setdefault(move.site.statement, (name, move))
        for name, move in list(moves.values())[:_ORIGINS]:
            yield self._one(f"`{name}` is moved where it is assigned", move)

    def _fetched_where_called(self, fault: Fault) -> Iterator[_Proposal]:
        """A module that was sent to the CPU is moved back by the line that calls it again."""
        seen = Seen(fault.failure.devices, fault.anchors)
        for one in (x for stray in fault.strays if stray.moved for x in stray.owners):
            site = self._editor.site(one.at)
            called = sites.called(site.source, site.statement, one.variable) if site else []
            if site is not None and called:
                words = f"the module `{one.variable}` is moved where it is called"
                yield self._one(words, *(Move(site, use, seen) for use in called))

    def _generators_there(self, fault: Fault) -> Iterator[_Proposal]:
        """``torch.Generator(device=device)`` for one that has no device of its own."""
        for source in self._editor.sources("Generator"):
            for call in source.of_type(ast.Call):
                if isinstance(call, ast.Call) and makes_generator(call) and not call.args:
                    site = Site(source, sites.statement_of(source, call))
                    move = Move(site, call, Seen(fault.failure.devices), keyword=True)
                    yield self._one(f"`{ast.unparse(call)}` is created on the device", move)

    def _is_made_inside(self, stray: Operand, fault: Fault) -> bool:
        """Whether a function of others made it that still runs: no line of ours can have it."""
        created = stray.created
        if created is None or self._editor.site(created) is not None:
            return False
        running = {(frame.file, frame.function) for frame in fault.failure.traceback}
        return (created.file, created.function) in running

    def _gradients(self, failure: Failure) -> Iterator[_Proposal]:
        """A gradient goes to the device of the parameter that is given it."""
        for site in list(self._running(failure))[:1]:
            for target, value in sites.gradients_given(site.statement):
                exact = Seen(exactly=f"{ast.unparse(target)}.device")
                words = f"`{ast.unparse(value)}` is moved where it is assigned to `.grad`"
                yield self._one(words, Move(site, value, exact))

    # What the host reads --------------------------------------------------------------------------

    def _brought_back(self, fault: Fault) -> Iterator[_Proposal]:
        """``.cpu()`` where the host reads, in the innermost line of the user's."""
        for site in list(self._running(fault.failure))[:1]:
            for value in dict.fromkeys([*_read(site), *self._held(fault, site), *_made(site)]):
                words = f"`{ast.unparse(value)}` is copied to the CPU, where it is read"
                yield self._one(words, Move(site, value, None))
        yield from (
            proposal for stray in fault.strays for proposal in self._moved_where_put(stray, None)
        )

    def _held(self, fault: Fault, site: Site) -> Iterator[ast.expr]:
        """The expressions of a statement that are the tensors in question."""
        for one in (holder for stray in fault.strays for holder in stray.holders):
            there = self._editor.site(one.at)
            if there is not None and there.statement is site.statement:
                yield from sites.uses(site.source, site.statement, one.variable)

    def _running(self, failure: Failure) -> Iterator[Site]:
        """The statements of the tree that were running, innermost first."""
        spans = failure.spans or ((),) * len(failure.traceback)
        for frame, span in reversed(list(zip(failure.traceback, spans, strict=True))):
            site = self._editor.site(Place(frame.file, frame.line, frame.function, frame.text))
            if site is not None:
                yield replace(site, running=sites.at_span(site.statement, span))


def _where_passed_on(site: Site, name: str, seen: Seen) -> Move | None:
    """The move of a parameter where the function keeps it: ``self.model = model``."""
    kept = sites.kept(site.source, site.statement, name)
    if kept is None:
        return None
    return Move(replace(site, statement=kept), kept.value, seen)


def _givers(site: Site) -> Iterator[Site]:
    """The assignments that gave a statement what it reads."""
    for name in sites.names_read(site.statement):
        bound = _bound(site, name)
        if isinstance(bound, ast.Assign) and isinstance(bound.value, ast.Call):
            yield replace(site, statement=bound)


def _bound(site: Site, variable: str) -> ast.stmt | None:
    """What gives a variable, or an attribute of the object at hand, its value."""
    if variable.isidentifier():
        return sites.binding(site.source, site.statement, variable)
    if variable.replace(".", "").isidentifier():
        return sites.attribute_binding(site.source, site.statement, variable)
    return None


def _read(site: Site) -> list[ast.expr]:
    """``x`` of ``x.numpy()``."""
    calls = [site.running] if site.running is not None else sites.expressions(site.statement)
    return [
        node.func.value
        for node in calls
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _READERS
    ]


def _made(site: Site) -> list[ast.expr]:
    """The operands of what was running that no variable has; else those of all of the line.

    Of these the innermost come first.
    """
    nodes = [site.running]
    if site.running is None:
        nodes = [*reversed(list(sites.expressions(site.statement)))]
    return [
        operand
        for node in nodes
        if node is not None
        for operand in sites.operands_of(node)
        if isinstance(operand, (ast.Call, ast.Subscript, ast.BinOp, ast.UnaryOp, ast.Attribute))
        and not _is_plain(operand)
    ]


def _is_plain(operand: ast.expr) -> bool:
    """``float(…)``, ``len(…)`` or ``-1``: no tensor."""
    match operand:
        case ast.Call(func=ast.Name(id=name)):
            return hasattr(builtins, name)
        case ast.UnaryOp(operand=inner):
            return isinstance(inner, ast.Constant) or _is_plain(inner)
    return False


def _called(operand: Operand) -> str:
    return f"`{operand.variable or operand.name}`"


def _listed(names: list[str]) -> str:
    quoted = [f"`{name}`" for name in names]
    return f"the modules {', '.join(quoted[:-1])} and {quoted[-1]}"
