"""Conditions of the program that do nothing but move things to the accelerator."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence, Set
from typing import TypeAlias, TypeGuard

from msgspec import Struct, field
from msgspec.structs import replace

from devicefix.flow.analysis import Analysis
from devicefix.flow.bound import Bindings
from devicefix.flow.deciders import Decider, decider
from devicefix.flow.deciding import moves_of
from devicefix.flow.facts import Guard, Kind, TransferCall
from devicefix.flow.flags import decides_less, moves_to_cuda, obeys
from devicefix.flow.given import Given
from devicefix.flow.moving import moves_each, otherwise
from devicefix.flow.presence import asks_if_there
from devicefix.flow.values import FileRecord, Residence, Tensor, Value
from devicefix.flow.working_guards import AskedFlag, flags_of
from devicefix.source.walking import walk

_Calls: TypeAlias = Mapping[ast.Call, TransferCall]
_Question: TypeAlias = frozenset[AskedFlag]


class _Conditions(Struct):
    """The conditions of a file that do nothing but move, and what is below them."""

    going: dict[ast.AST, Guard] = field(default_factory=dict)
    below: dict[ast.Call, str] = field(default_factory=dict)
    optional: dict[ast.Call, _Question] = field(default_factory=dict)
    """What moves if the user wants it, with what is asked."""
    always: set[ast.Call] = field(default_factory=set)


def guards(
    analysis: Analysis, moved: Mapping[FileRecord, _Calls], bindings: Bindings
) -> dict[FileRecord, tuple[tuple[Guard, ...], _Calls]]:
    """Conditions that do nothing but move torch things to the accelerator, by file.

    What they move has to be there without CUDA, too. ``moved`` are the calls of each file. Of the
    conditions of a program that ask the user the same all go, or none does: what is below them then
    stays as it is, but for what the program always moves: it would not run without CUDA. The same
    holds in each file for those that do not ask whether there is CUDA.
    """
    questions = _Questions(analysis)
    found = {
        file: _conditions(analysis, file, calls, bindings, questions)
        if any(map(_is_cuda, calls))
        else _Conditions()
        for file, calls in moved.items()
    }
    together = _joined({asked for known in found.values() for asked in known.optional.values()})
    left = {flag for file, known in found.items() for flag in questions.left(file, known.going)}
    done = {file: _settled(moved[file], known, together, left) for file, known in found.items()}
    own = {g.option for going, calls in done.values() for g in going if _is_around_own(g, calls)}
    return {
        file: (
            tuple(
                replace(g, own=_is_around_own(g, calls) or bool(g.option and g.option in own))
                for g in going
            ),
            calls,
        )
        for file, (going, calls) in done.items()
    }


def _joined(sets: Iterable[_Question]) -> dict[_Question, _Question]:
    """Of each set, the union of all that it has to do with."""
    parts = list[_Question]()
    for one in sets:
        met = [part for part in parts if not part.isdisjoint(one)]
        parts = [part for part in parts if part not in met] + [one.union(*met)]
    return {one: next(p for p in parts if one <= p) for one in sets}


def _conditions(
    analysis: Analysis,
    file: FileRecord,
    calls: _Calls,
    bindings: Bindings,
    questions: _Questions,
) -> _Conditions:
    found = _Conditions()
    for tree, test in analysis.tests(file):
        above = analysis.parents.get(tree)
        moves = [c for c in moves_of(tree, above) if c in calls] if _is_choice(tree) else []
        if not moves or not isinstance(tree, (ast.If, ast.IfExp)) or asks_if_there(analysis, tree):
            continue
        asked = decider(analysis, tree.test, test)
        asks_user = _asks_user(tree, test, asked, moves)
        if asks_user and decides_less(analysis, asked):
            continue
        found.below.update(dict.fromkeys(moves, ast.unparse(tree.test)))
        works = asked is not None and asked.answered
        if asks_user:
            question = questions.of(file, tree) if works else questions.within(file, tree)
            found.optional.update(dict.fromkeys(moves, question))
        found.always.update(moves if asked is not None and asked.always else ())
        if _goes(analysis, tree, test, asked, [calls[c] for c in moves], bindings):
            follows = _followed(analysis, tree, test)
            rest = otherwise(tree, above) if isinstance(tree, ast.If) and not tree.orelse else ()
            found.going[tree] = Guard(tree, tuple(moves), follows, works=works, rest=tuple(rest))
    return found


class _Questions:
    """What conditions of a program ask."""

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self._given = Given(analysis)

    def of(self, file: FileRecord, tree: ast.If | ast.IfExp) -> _Question:
        """The names in a condition, and those that they stand for; whatever has no name is one
        thing in a file."""
        found, waiting = set[AskedFlag](), list(flags_of(self._analysis, file, tree.test))
        while waiting:
            flag = waiting.pop()
            if flag not in found:
                found.add(flag)
                for value in self._given.of(*flag):
                    waiting += flags_of(self._analysis, self._analysis.home(value), value)
        return frozenset(found) or frozenset({("options", file.source.tree)})

    def within(self, file: FileRecord, tree: ast.If | ast.IfExp) -> _Question:
        """The same, as a question of one file."""
        return frozenset((name, file.source.tree) for name, _ in self.of(file, tree))

    def left(self, file: FileRecord, going: Container[ast.AST]) -> Iterator[AskedFlag]:
        """What conditions of a file ask that only move, and stay."""
        choices: list[ast.If | ast.IfExp] = [
            *file.source.of_type(ast.If),
            *file.source.of_type(ast.IfExp),
        ]
        for tree in choices:
            above = self._analysis.parents.get(tree)
            if tree not in going and any(True for _ in moves_of(tree, above)):
                yield from self.of(file, tree) | self.within(file, tree)


def _settled(
    calls: _Calls,
    found: _Conditions,
    together: Mapping[_Question, _Question],
    left: Set[AskedFlag],
) -> tuple[tuple[Guard, ...], _Calls]:
    """The conditions of a file that go, with what the others leave as it is."""
    asked = {move: together[flags] for move, flags in found.optional.items()}
    kept = {move for move, flags in asked.items() if not left.isdisjoint(flags)}
    known = {c: replace(seen, condition=found.below.get(c, "")) for c, seen in calls.items()}
    still = kept - found.always
    stay = {c: replace(seen, device=None) if c in still else seen for c, seen in known.items()}
    going = (guard for guard in found.going.values() if kept.isdisjoint(guard.moves))
    options = {g: "-".join(sorted({n for n, _ in asked.get(g.moves[0], ())})) for g in going}
    return tuple(replace(g, option=option) for g, option in options.items()), stay


def _is_around_own(guard: Guard, calls: _Calls) -> bool:
    """Whether a condition is around a call of an `OwnMove`."""
    return any(calls[move].kind is Kind.OWN for move in guard.moves)


def _asks_user(
    tree: ast.If | ast.IfExp, test: Value, asked: Decider | None, moves: Sequence[ast.Call]
) -> bool:
    """Whether a condition asks neither the machine nor what it moves."""
    if isinstance(test, Residence) or (asked is not None and asked.machine):
        return False
    moved = {ast.dump(c.func.value) for c in moves if isinstance(c.func, ast.Attribute)}
    return moved.isdisjoint(ast.dump(n) for n in walk(tree.test) if isinstance(n, ast.expr))


def _is_choice(tree: ast.AST) -> TypeGuard[ast.If | ast.IfExp]:
    return isinstance(tree, (ast.If, ast.IfExp))


def _followed(analysis: Analysis, tree: ast.If | ast.IfExp, test: Value) -> str:
    """``x.device`` where the condition is ``x.is_cuda``."""
    asked = analysis.asked(tree)
    asks = isinstance(test, Residence) and isinstance(asked, ast.Attribute)
    return f"{ast.unparse(asked.value)}.device" if asks else ""  # type: ignore[attr-defined]


def _goes(
    analysis: Analysis,
    tree: ast.If | ast.IfExp,
    test: Value,
    asked: Decider | None,
    moves: Sequence[TransferCall],
    bindings: Bindings,
) -> bool:
    """Whether the program does the same without the condition."""
    return all(
        move.kind in (Kind.TORCH, Kind.OWN)
        and (move.keeps_index or isinstance(test, Residence))
        and _obeys(analysis, move, tree, test, asked)
        and _is_there_anyway(analysis, move.call, tree, bindings)
        for move in moves
    )


def _is_cuda(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "cuda"


def _is_there_anyway(
    analysis: Analysis, call: ast.Call, tree: ast.If | ast.IfExp, bindings: Bindings
) -> bool:
    """Whether what is moved may be named where the condition is false; a choice names it anyhow."""
    if isinstance(tree, ast.IfExp):
        return True
    seen = analysis.seen.transfers[call]
    if any(isinstance(value, Tensor) and value.maybe for value, _, _ in seen):
        return False
    named = [n for n in walk(_source(analysis, call)) if isinstance(n, (ast.Attribute, ast.Name))]
    texts = [text for text in map(ast.unparse, named) if text.replace(".", "").isidentifier()]
    places = [place for _, _, place in seen]
    return all(bindings.is_there_anyway(text, tree, place) for text in texts for place in places)


def _source(analysis: Analysis, call: ast.Call) -> ast.expr:
    """Where what is moved comes from: ``xs`` in ``[x.cuda() for x in xs]``, else the receiver."""
    above = analysis.parents.get(call)
    if isinstance(above, ast.ListComp) and moves_each(above):
        return above.generators[0].iter
    return call.func.value if isinstance(call.func, ast.Attribute) else call


def _obeys(
    analysis: Analysis,
    call: TransferCall,
    tree: ast.If | ast.IfExp,
    test: Value,
    asked: Decider | None,
) -> bool:
    """Without the condition the device alone decides: it has to ask the same question."""
    if asked is not None and asked.machine:
        return asked.answered
    if isinstance(test, Residence):
        # `self.is_cuda()` says not who it asks
        itself = isinstance(analysis.asked(tree), ast.Attribute)
        return itself or (call.device is not None and call.device.follows)
    if call.device is not None and call.device.follows:
        return _asks_for_cuda(analysis, tree)
    return call.device is not None and obeys(analysis, call.device, call.call, asked)


def _asks_for_cuda(analysis: Analysis, tree: ast.If | ast.IfExp) -> bool:
    """An option such as ``args.cuda``: wherever the file asks it, it is about CUDA alone."""
    test = tree.test.operand if isinstance(tree.test, ast.UnaryOp) else tree.test
    if not isinstance(test, (ast.Name, ast.Attribute, ast.Subscript)):
        return False
    text, file = ast.unparse(tree.test), analysis.home(tree)
    alike = [
        other
        for other, _ in analysis.tests(file)
        if isinstance(other, ast.If) and ast.unparse(other.test) == text
    ]
    return all(moves_to_cuda(analysis, statement) for other in alike for statement in other.body)
