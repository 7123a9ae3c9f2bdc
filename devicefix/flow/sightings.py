"""What runs have seen (`devicefix run --record`), where evaluation has no answer of its own.

A program with evidence is evaluated twice: once without, which says of which expressions nothing is
known, and then with what runs have seen of these. Nothing that evaluation knows is overruled.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from devicefix.digests import digest_of_text, line_digests
from devicefix.evidence import Expression, Fact, RecordedFile
from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.graph import Label
from devicefix.flow.modules import make_layer
from devicefix.flow.values import (
    PLAIN,
    RECURSIVE,
    Bound,
    FileRecord,
    Instance,
    Tensor,
    Unknown,
    Value,
)
from devicefix.source import Program, Source

Place = tuple[int, int, int, int]
SEEN: Final = "seen"
"""The kind of the nodes whose values were seen in a run."""
IN_A_RUN: Final = "seen in a run, not inferred"
"""Why a decision that rests on evidence is not sure."""
_NONE: Final = "NoneType"
_CALLED: Final = (ast.Call, ast.Subscript)
"""Expressions behind which a module can be moved."""


class Sightings:
    """The evidence of a program, by expression of the texts that are evaluated."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._files: dict[str, Mapping[Place, Expression]] = {}
        self._last: dict[tuple[ast.AST, int], bool] = {}
        """Of each expression with evidence, and context, whether evaluation knows nothing."""
        self._open: frozenset[ast.AST] | None = None
        self.used: dict[int, ast.AST] = {}
        """The nodes of what was taken from evidence, and the expressions."""

    @classmethod
    def of(cls, program: Program) -> Sightings | None:
        """None where runs have seen nothing of the files of ``program``."""
        any_seen = any(program.evidence.of(path) is not None for path in program.sources)
        return cls(program) if any_seen else None

    def allow(self) -> None:
        """From now on what was seen is taken where nothing was known so far."""
        self._open = frozenset(tree for (tree, _), unknown in self._last.items() if unknown)

    def begin(self) -> None:
        """A pass over the program begins anew."""
        self._last.clear()
        self.used.clear()

    def take(self, frame: Frame, tree: ast.expr, value: Value) -> Value:
        """``value``, or where that says nothing, what runs have seen ``tree`` to be."""
        nothing = _says_nothing(value)
        if self._open is not None:
            if tree in self._open and (nothing or self._is_part(value)):
                return self._taken(frame, tree, value)
            return value
        if nothing or (tree, frame.context) in self._last:
            self._last[tree, frame.context] = nothing
        return value

    def expression(self, file: FileRecord, tree: ast.AST) -> Expression | None:
        """What runs have seen of ``tree``, an expression, target or parameter of ``file``."""
        if file.text is None or not hasattr(tree, "lineno"):
            return None
        known = self._files.get(file.path)
        if known is None:
            known = self._files[file.path] = _by_place(self._program, file.text)
        return known.get(_place(file.text, tree)) if known else None

    def _is_part(self, value: Value) -> bool:
        """An attribute of a module that only a run has seen, whose class is not known."""
        if not isinstance(value, Bound) or value.function is not None:
            return False
        this = value.receiver
        return isinstance(this, Instance) and all(r.node in self.used for r in this.records)

    def _taken(self, frame: Frame, tree: ast.expr, value: Value) -> Value:
        try:
            one = self.expression(frame.analysis.home(tree), tree)
        except KeyError:  # an expression that stands nowhere in the text
            return value
        facts = [f for f in one.seen if f.type != _NONE] if one is not None else []
        kinds = {fact.kind for fact in facts}
        if kinds == {"tensor"}:
            return self._tensor(frame, tree, value, facts)
        if kinds == {"module"} and (isinstance(tree, _CALLED) or isinstance(value, Bound)):
            return self._module(frame, tree, value, facts)
        return value

    def _tensor(self, frame: Frame, tree: ast.expr, value: Value, facts: Sequence[Fact]) -> Value:
        """It lives where it was seen. What unseen code has made of tensors follows these: in the
        run it was where they were, and they may be moved."""
        if isinstance(value, Bound):
            return value  # nobody knows whether it is a buffer, which moves with the module
        near = value.near if isinstance(value, (Unknown, Tensor)) else frozenset[int]()
        dtypes = {fact.dtype for fact in facts}
        scalar = all(shape == () for fact in facts for shape in fact.shapes or ((-1,),))
        known = dtypes.pop() if len(dtypes) == 1 else None
        label = _label(facts)
        if label is None:
            return Tensor(frozenset(), known, scalar, raw=False, near=near)
        node = frame.node(SEEN, tree)
        self.used[node] = tree
        for given in near:
            frame.graph.tie(given, node)
        if not near:
            frame.graph.fix(node, label)
        return Tensor(frozenset((node,)), known, scalar, raw=not near)

    def _module(self, frame: Frame, tree: ast.expr, value: Value, facts: Sequence[Fact]) -> Value:
        """It is moved where it is made; a part of another module, with that."""
        given = isinstance(value, Unknown) and value.near
        if _label(facts) is not Label.HOST or given:
            return value  # somebody else has moved it
        made = make_layer(frame, tree, "torch.nn.Module", Arguments())
        whole = value.receiver if isinstance(value, Bound) else None
        for record in made.modules:
            record.stateful = record.weights = True
            self.used[record.node] = tree
            for owner in whole.modules if isinstance(whole, Instance) else ():
                frame.adopt(owner, record)
        return made


def _says_nothing(value: Value) -> bool:
    """Nobody knows what it is, or of a tensor where; or it was taken for granted that what the
    standard library gives is no tensor."""
    if type(value) is Unknown:
        return value.reason not in ("", RECURSIVE)
    return value == PLAIN or (isinstance(value, Tensor) and not value.nodes)


def _label(facts: Sequence[Fact]) -> Label | None:
    """Where all of it was; None where that differs or is not known."""
    found = {fact.device for fact in facts}
    if len(found) != 1 or None in found:
        return None
    device = str(found.pop())
    return None if device == "meta" else Label.HOST if device == "cpu" else Label.TARGET


def _place(source: Source, tree: ast.AST) -> Place:
    span = source.span(tree)
    return (*source.position(span.start), *source.position(span.end))


def _by_place(program: Program, source: Source) -> Mapping[Place, Expression]:
    """What was seen in ``source``, by where it stands there."""
    recorded = program.evidence.of(source.path)
    if recorded is None or source.notebook is not None:
        return {}
    first = program.first.get(source.path)
    if first is None or first.text == source.text:
        return _index(_in(recorded, source))
    known = _in(recorded, first)
    return {**_index(_rewritten(known, first, source)), **_index(_in(known, source))}


def _in(recorded: RecordedFile, source: Source) -> RecordedFile:
    return recorded.at(digest_of_text(source.text), line_digests(source.text))


def _index(recorded: RecordedFile) -> dict[Place, Expression]:
    return {one.place: one for one in recorded.expressions}


def _rewritten(known: RecordedFile, first: Source, now: Source) -> RecordedFile:
    """What our own fixes have left of the expressions on lines that they have changed."""
    import difflib

    digests = line_digests(now.text)
    matcher = difflib.SequenceMatcher(None, known.lines, digests, autojunk=False)
    found: list[Expression] = []
    for kind, start, end, new_start, new_end in matcher.get_opcodes():
        if kind == "replace":
            inside = [e for e in known.expressions if start < e.place[0] and e.place[2] <= end]
            before, after = _lines(first, start, end), _lines(now, new_start, new_end)
            found += _found_again(inside, first, before, now, after)
    return RecordedFile("", tuple(digests), tuple(found))


def _lines(source: Source, start: int, end: int) -> tuple[int, int]:
    """Where lines begin and end in the text; they are counted from 0, without the last."""
    return source.offset(start + 1, 0), source.line_end(source.offset(end, 0))


def _found_again(
    expressions: Sequence[Expression],
    first: Source,
    before: tuple[int, int],
    now: Source,
    after: tuple[int, int],
) -> Iterator[Expression]:
    """Those whose text stands as often in the new lines as in the old ones."""
    for one in expressions:
        start, end = _offset(first, *one.place[:2]), _offset(first, *one.place[2:])
        text = first.text[start:end]
        olds, news = _all(first.text, text, *before), _all(now.text, text, *after)
        if len(olds) == len(news) and start in olds:
            at = news[olds.index(start)]
            place = (*now.position(at), *now.position(at + len(text)))
            yield Expression(place, one.seen, one.demand)


def _offset(source: Source, line: int, column: int) -> int:
    return source.offset(line, 0) + column - 1


def _all(text: str, part: str, start: int, end: int) -> list[int]:
    found = []
    at = text.find(part, start, end)
    while at >= 0:
        found.append(at)
        at = text.find(part, at + 1, end)
    return found
