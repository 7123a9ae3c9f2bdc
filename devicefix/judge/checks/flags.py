"""Does each condition of the user's that was taken away still decide where things go?

``if use_cuda: x = x.cuda()`` may become ``x = x.to(device)`` only if ``device`` is computed from
``use_cuda``, or from what that is computed from, or is that of a module which goes where
``use_cuda`` says. A parameter that stays in the signature counts for each of its values, whatever
the calls give that were seen. What followed ``x`` (``if x.is_cuda:``) does not ask the parameters
of a module: the copies that ``DataParallel`` runs have none.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from typing import Final

from msgspec import Struct

from devicefix.findings import Span
from devicefix.flow.evaluated import Evaluated
from devicefix.flow.modules import below
from devicefix.flow.values import Device, Flag, Instance, Residence
from devicefix.judge.comparison import SCOPES, Comparison, Move, Objection, device_of, enclosing
from devicefix.judge.inside import Inside
from devicefix.judge.slices import Slicer
from devicefix.source import Source
from devicefix.source.walking import walk

NAME: Final = "flag"


def objections(comparison: Comparison) -> Iterator[Objection]:
    """For each move that a condition decided about before the edits, and now does not."""
    old, new = Slicer(comparison.before), Slicer(comparison.after)
    deciding = _Deciding(comparison.after, new)
    for path, test, moves in _taken_away(comparison):
        asked = [a for a in atoms(test) if not _is_presence(comparison, old, a)]
        for move in moves:
            for atom in asked:
                alone = old.parameter_of(atom) is not None
                if not _is_obeyed(old, atom, deciding.of(move.device, alone=alone)):
                    text = ast.unparse(test)
                    reason = f"`{text}` no longer controls whether `{_what(move)}` is moved"
                    yield comparison.objection(NAME, path, move.device, reason, move.call)

    yield from _asked_anew(comparison, old, new)
    yield from _asked_of_parameters(comparison)


class _Deciding(Struct, frozen=True, dict=True, eq=False):
    """What decides where something goes in the new program."""

    side: Evaluated
    slicer: Slicer

    def of(self, device: ast.expr, *, alone: bool) -> frozenset[str]:
        """What a device is computed from; of that of a module, unless ``alone``, also what each
        device is computed from that the module is moved to."""
        if device not in self._known:
            self._known[device] = self.slicer.of(device), self._followed(device)
        own, followed = self._known[device]
        return own if alone else own | followed

    def _followed(self, device: ast.expr) -> frozenset[str]:
        followed = [v.nodes for v in self.side.values(device) if isinstance(v, Device)]
        placed = [
            self._placing(call)
            for nodes in followed
            for node in nodes
            for call in self._moves.get(node, [None])
        ]
        return frozenset.intersection(*placed) if placed else frozenset()

    def _placing(self, call: ast.Call | None) -> frozenset[str]:
        """What decides where a call moves something."""
        device = device_of(call) if call is not None else None
        return self.slicer.of(device) if device is not None else frozenset()

    @cached_property
    def _known(self) -> dict[ast.expr, tuple[frozenset[str], frozenset[str]]]:
        return {}

    @cached_property
    def _moves(self) -> dict[int, list[ast.Call | None]]:
        """The calls that move modules, by the places of their parameters."""
        found: dict[int, list[ast.Call | None]] = {}
        for call, seen in self.side.analysis.seen.transfers.items():
            moved = (r for r, _, _ in seen if isinstance(r, Instance))
            for node in {part.node for r in moved for m in r.modules for part in below(m)}:
                found.setdefault(node, []).append(call)
        return found


def _asked_anew(comparison: Comparison, old: Slicer, new: Slicer) -> Iterator[Objection]:
    """``x.cuda()`` that has become ``x.to(device)``, with a device made of a parameter that no
    condition around it asked."""
    for move in comparison.moves:
        if move.replaces is None or not _hard_codes(move.replaces):
            continue
        function = next(_functions(comparison.after, move.call), None)
        asked = {n for n in _chosen_by(comparison, new, move) if new.parameter_of(n) is function}
        held = {name for test in _holding(comparison, move.replaces) for name in old.of(test)}
        for atom in asked:
            if function is not None and atom.id not in held:
                reason = f"`{atom.id}` did not control whether `{_what(move)}` is moved"
                yield comparison.objection(NAME, move.path, move.device, reason, move.call)


def _hard_codes(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "cuda"


def _chosen_by(comparison: Comparison, new: Slicer, move: Move) -> Iterator[ast.Name]:
    """The names in the conditions that edits have written to choose the device of a move."""
    named = new.definitions(move.device) if isinstance(move.device, ast.Name) else None
    for tree in (move.device, *(named or ())):
        for choice in (n for n in walk(tree) if isinstance(n, ast.IfExp)):
            if comparison.is_new(move.path, choice):
                yield from (n for n in walk(choice.test) if isinstance(n, ast.Name))


def _holding(comparison: Comparison, call: ast.Call) -> Iterator[ast.expr]:
    """The conditions that hold where ``call`` of the original runs."""
    child: ast.AST = call
    for above in enclosing(comparison.before, call):
        match above:
            case ast.If(body=body) if child in body:
                yield above.test
            case ast.IfExp(body=one) if child is one:
                yield above.test
        child = above


def _asked_of_parameters(comparison: Comparison) -> Iterator[Objection]:
    """``if x.is_cuda: mask = mask.cuda()`` that has become ``next(self.parameters()).device``."""
    for path in comparison.maps:
        source = comparison.before.program.sources[path]
        gone = {
            getattr(next(_functions(comparison.before, tree), None), "name", ""): tree.test
            for tree in _conditions(source)
            if isinstance(tree.test, ast.Attribute)
            and tree.test.attr == "is_cuda"
            and (path, *_ends(source, tree.test)) not in comparison.new_nodes
        }
        for move in comparison.moves if gone else ():
            function = next(_functions(comparison.after, move.call), None)
            test = gone.get(getattr(function, "name", "")) if move.path == path else None
            if test is not None and ".parameters()" in ast.unparse(move.device):
                reason = (
                    f"`{ast.unparse(test)}` controlled this; `.parameters()` cannot replace it, "
                    "because it is empty in a `DataParallel` replica"
                )
                yield comparison.objection(NAME, path, move.device, reason, move.call)


def _functions(side: Evaluated, node: ast.AST) -> Iterator[ast.AST]:
    return (above for above in enclosing(side, node) if isinstance(above, SCOPES))


def _ends(source: Source, tree: ast.expr) -> tuple[int, int]:
    span = source.span(tree)
    return span.start, span.end


def _taken_away(comparison: Comparison) -> Iterator[tuple[str, ast.expr, list[Move]]]:
    """The conditions that are gone, and the moves that stood below them."""
    for path in comparison.maps:
        source = comparison.before.program.sources[path]
        keys = [(comparison.key(path, m.call), m) for m in comparison.moves if m.path == path]
        moves = Inside((Span(key[1], key[2]), move) for key, move in keys if key is not None)
        for tree in _conditions(source) if keys else ():
            span = source.span(tree.test)
            if (path, span.start, span.end) in comparison.new_nodes:
                continue
            below = moves.of(source.span(tree))
            if below:
                yield path, tree.test, below


def _conditions(source: Source) -> list[ast.If | ast.IfExp]:
    return [*source.of_type(ast.If), *source.of_type(ast.IfExp)]


def atoms(test: ast.expr) -> Iterator[ast.expr]:
    """The parts of a condition: those of ``and``, ``or`` and ``not``, the flag in ``gpu >= 0``."""
    match test:
        case ast.BoolOp(values=values):
            for value in values:
                yield from atoms(value)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from atoms(operand)
        case ast.IfExp(test=asked, body=body, orelse=other):
            for part in (asked, body, other):
                if not isinstance(part, ast.Constant):
                    yield from atoms(part)
        case ast.Compare(left=left, comparators=others):
            for part in (left, *others):
                if not isinstance(part, ast.Constant):
                    yield from atoms(part)
        case _:
            yield test


def _is_presence(comparison: Comparison, slicer: Slicer, atom: ast.expr, depth: int = 0) -> bool:
    """Whether a part of a condition asks for the accelerator, and nobody can say otherwise."""
    values = comparison.before.values(atom)
    asks = bool(values) and all(
        isinstance(v, Residence) or (isinstance(v, Flag) and v.pure) for v in values
    )
    if isinstance(atom, ast.Call):
        return asks or ast.unparse(atom.func).endswith(("is_available", "device_count"))
    if isinstance(atom, ast.Attribute) and atom.attr == "is_cuda":
        return True
    if not asks or slicer.parameter_of(atom) is not None or depth > 6:
        return False
    defined = slicer.definitions(atom)
    return defined is not None and all(
        _is_presence(comparison, slicer, part, depth + 1)
        for value in defined
        for part in atoms(value)
        if not isinstance(part, ast.Constant)
    )


def _is_obeyed(slicer: Slicer, atom: ast.expr, kept: frozenset[str], depth: int = 0) -> bool:
    """Whether what decides ``atom`` has a part in what is ``kept``."""
    name = "." + atom.attr if isinstance(atom, ast.Attribute) else getattr(atom, "id", "")
    if name and name in kept:
        return True
    if not name or slicer.parameter_of(atom) is not None or depth > 6:
        return False
    defined = slicer.definitions(atom)
    parts = [p for value in defined or () for p in atoms(value)]
    asked = [p for p in parts if isinstance(p, (ast.Name, ast.Attribute))]
    return bool(asked) and all(_is_obeyed(slicer, p, kept, depth + 1) for p in asked)


def _what(move: Move) -> str:
    func = move.call.func
    return ast.unparse(func.value if isinstance(func, ast.Attribute) else func)
