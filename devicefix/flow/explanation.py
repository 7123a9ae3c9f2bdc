"""What the inference believes about one line: the door for those who ask why.

Everything that is handed out is plain text and numbers; trees, nodes and frames stay inside.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from devicefix.findings import place_text
from devicefix.flow.analysis import Analysis
from devicefix.flow.decision_groups import Groups, name_of_group
from devicefix.flow.demands import Demands
from devicefix.flow.facts import FileFacts
from devicefix.flow.frame import Frame
from devicefix.flow.gathering import gather_facts
from devicefix.flow.graph import TARGET_NODE, Label
from devicefix.flow.history import History, Step, nodes_in
from devicefix.flow.kinds import dtype_of, kind_of
from devicefix.flow.placement import Decision, decide
from devicefix.flow.program import evaluate_program
from devicefix.flow.standing import NOWHERE, Places, today, tree_of
from devicefix.flow.trace import FullTrace, Noted
from devicefix.flow.values import (
    Array,
    Dataset,
    Device,
    FileRecord,
    Instance,
    Loader,
    Unknown,
    Value,
)
from devicefix.source import Program, Source

_WORK = (ast.Assign, ast.AugAssign, ast.Expr, ast.For, ast.If, ast.Return, ast.While, ast.With)
"""Statements with something to evaluate."""
NOTHING: frozenset[int] = frozenset()
MOST_WAYS = 3
"""Origins of one value that are told; a parameter of a popular function has dozens."""


class Spot(Struct, frozen=True):
    """A line of the program, as it is written, and what happens there."""

    path: str
    line: int
    text: str
    what: str
    place: str = ""
    """Where the value is from there on, or has to be: ``CPU`` or ``device``."""
    cell: int | None = None
    """Of a notebook: ``line`` is one of this cell, counted among all."""
    moves: bool = False
    """Whether the value is brought to ``place`` there."""


class Belief(Struct, frozen=True):
    """What is believed of one expression.

    Places are ``CPU``, ``device``, ``CPU or device`` and ``unknown``.
    """

    text: str
    also: tuple[str, ...]
    """Other expressions on the line of which the same is believed."""
    column: int
    """1-based, in characters; of the first of them."""
    kind: str
    dtype: str
    """Empty where it is not known, or there is none."""
    today: str
    after: str
    """Where it lives once all fixes are made, the unsafe ones included."""
    ways: tuple[tuple[Spot, ...], ...]
    """How it came here, from its origin on; one for each origin."""
    meets: tuple[Spot, ...]
    moves: tuple[Spot, ...]
    """The transfers that the fix writes from here on."""
    notes: tuple[str, ...]
    """What else decides, or why nothing is done."""
    group: str
    """The fix group of the decision; empty where nothing is moved for it."""
    callers: tuple[Spot, ...] = ()
    """For which calls of the function this holds; empty where it holds for all."""
    basis: str = "inferred"
    """``inferred`` from the text of the program; ``assumed`` where it comes from a parameter of a
    function that nobody calls; ``seen`` where only a run tells; ``unknown``."""
    seen: tuple[str, ...] = ()
    """What runs have seen here, one fact each; nothing without evidence."""


class Explanation(Struct, frozen=True):
    """One line, and what is believed of each expression on it."""

    path: str
    line: int
    text: str
    beliefs: tuple[Belief, ...]
    notes: tuple[str, ...]
    """What holds for the whole line, such as why there is nothing on it."""


class Explainer:
    """A program that was evaluated once; any of its lines may be asked about."""

    def __init__(self, program: Program) -> None:
        self._trace = FullTrace()
        analysis, complete = evaluate_program(program, self._trace)
        self._analysis = analysis
        self._reader = _Reader(analysis, self._trace)
        decision = decide(analysis)
        self.facts: Mapping[str, FileFacts] = gather_facts(analysis, decision, complete=complete)
        """Those of all its files."""
        self._after = _After(analysis, decision, complete)

    def line(self, path: str, line: int, column: int | None = None) -> Explanation:
        """What is believed about a line.

        ``column`` (1-based) asks for the smallest expression around it only.
        """
        record = self._analysis.files.get(path)
        if record is None:
            return Explanation(path, line, "", (), ("no file of the program imports this one",))
        beliefs = self._reader.beliefs(self._after, record, line, column)
        if not beliefs:
            notes: tuple[str, ...] = (_nothing(self._trace, record, line),)
        else:
            notes = tuple(_notes(self._analysis, record))
        return Explanation(path, line, record.source.line_text(line), beliefs, notes)


def _notes(analysis: Analysis, record: FileRecord) -> Iterator[str]:
    """Why nothing is changed in a file, whatever is believed."""
    if not record.owned:
        yield "this file is read but never changed"
    elif analysis.is_test(record):
        yield (
            "this is a test: its tensors are assumed to stay on the CPU unless the test itself "
            "moves them"
        )


def _nothing(trace: FullTrace, record: FileRecord, line: int) -> str:
    text = record.source.line_text(line)
    if not text or text.startswith("#"):
        return "this line is empty"
    trees = [t for t in record.source.nodes if getattr(t, "lineno", 0) == line]
    works = any(isinstance(tree, _WORK) for tree in trees)
    if works and not any(tree in trace.noted for tree in trees):
        return "this line is never reached, as far as devicefix can tell"
    return "no tensor, module, array, loader or device on this line"


def _where(source: Source, line: int) -> str:
    place = source.placed(line)
    return place_text(source.path, place.line, cell=place.cell)


class _Reader:
    """Reads what evaluation has left behind."""

    def __init__(self, analysis: Analysis, trace: FullTrace) -> None:
        self._analysis = analysis
        self._trace = trace
        self._today = today(analysis)  # the cut will change the graph
        self._history = History(analysis, trace)

    def beliefs(
        self, after: _After, record: FileRecord, line: int, column: int | None
    ) -> tuple[Belief, ...]:
        """The beliefs about one line, in the order of its text."""
        found: dict[tuple[object, ...], Belief] = {}
        for tree in self._asked(record, line, column):
            for belief in self._of_contexts(after, record.source, tree):
                key = replace(belief, text="", column=0, ways=(), seen=()), _origins(belief)
                known = found.setdefault(key, belief)
                if belief.text not in (known.text, *known.also):
                    found[key] = _together(known, belief)
        return tuple(found.values())

    def _asked(self, record: FileRecord, line: int, column: int | None) -> list[ast.AST]:
        """The expressions, targets and parameters of a line that are worth a word."""
        source = record.source
        found = [
            tree
            for tree in source.nodes
            if getattr(tree, "lineno", 0) == line
            and tree in self._trace.noted
            and not self._is_holder(tree)
            and any(kind_of(n.value, self._analysis) for n in self._trace.noted[tree].values())
        ]
        found.sort(key=lambda tree: (source.span(tree).start, -source.span(tree).end))
        if column is None:
            return found
        offset = source.offset(line, 0) + column - 1
        around = [t for t in found if source.span(t).start <= offset < source.span(t).end]
        return around[-1:]

    def _is_holder(self, tree: ast.AST) -> bool:
        """``self`` in ``self.mask``, ``x`` in ``x.device``: the whole says more."""
        parent = self._analysis.parents.get(tree)
        if not isinstance(parent, ast.Attribute):
            return isinstance(parent, ast.Starred)
        called = self._analysis.parents.get(parent)
        if not (isinstance(called, ast.Call) and called.func is parent):
            return isinstance(tree, ast.Name)
        return all(isinstance(n.value, Instance) for n in self._trace.noted[tree].values())

    def _of_contexts(self, after: _After, source: Source, tree: ast.AST) -> list[Belief]:
        """What is believed in each context, told once where it is the same."""
        merged: dict[Belief, list[tuple[Belief, Noted]]] = {}
        for context, noted in self._trace.noted[tree].items():
            if kind_of(noted.value, self._analysis):
                belief = self._of(after, source, tree, context, noted)
                merged.setdefault(replace(belief, ways=()), []).append((belief, noted))
        callers = self._distinguished([[n for _, n in members] for members in merged.values()])
        found: list[Belief] = []
        for (alike, members), calls in zip(merged.items(), callers, strict=True):
            ways = dict.fromkeys(way for belief, _ in members for way in belief.ways)
            found.append(replace(alike, ways=tuple(ways)[:MOST_WAYS], callers=calls))
        return found

    def _distinguished(self, groups: list[list[Noted]]) -> list[tuple[Spot, ...]]:
        """Which calls lead to each group of contexts, as far up as is needed to tell them apart."""
        if len(groups) == 1:
            return [()]
        calls: list[tuple[Spot, ...]] = []
        for depth in range(1, MOST_WAYS + 1):
            calls = [
                tuple(dict.fromkeys(c for n in group for c in self._callers(n.frame, depth)))
                for group in groups
            ]
            if len(set(calls)) == len(calls):
                break
        return calls

    def _of(
        self, after: _After, source: Source, tree: ast.AST, context: int, noted: Noted
    ) -> Belief:
        value, nodes = noted.value, nodes_in(noted.value)
        certain = not after.obstacle(nodes)
        now = self._places(value, nodes)
        then = after.places(value, nodes, now)
        moving = NOTHING if isinstance(value, Array) else nodes
        start = source.span(tree).start
        parts: list[int | None] = [*sorted(nodes)[:MOST_WAYS]] or [None]
        ways = [self._history.steps(context, tree, value, node) for node in parts]
        return Belief(
            text=tree.arg if isinstance(tree, ast.arg) else source.segment(tree),
            also=(),
            column=source.place(start).column,
            kind=kind_of(value, self._analysis),
            dtype=dtype_of(value),
            today=_spelled(now),
            after=_spelled(then),
            ways=tuple(
                dict.fromkeys(
                    tuple(self._spot_of_step(step) for step in way) for way in ways if way
                )
            ),
            meets=tuple(
                self._spot(d.tree, d.what, _NAMES[d.place] if certain else "")
                for d in after.demands.of(moving)
            ),
            moves=tuple(
                self._spot(m.tree, f"the fix moves it to the {_NAMES[m.place]}", _NAMES[m.place])
                for m in after.demands.transfers(moving)
            ),
            notes=tuple(dict.fromkeys(self._why(after, noted, moving, now, then))),
            seen=tuple(self._in_runs(tree)),
            group=after.group(moving) if now != then or after.demands.transfers(moving) else "",
            basis=self._basis(now, nodes),
        )

    def _in_runs(self, tree: ast.AST) -> Iterator[str]:
        """What runs have seen of an expression, whatever is believed of it."""
        sightings = self._analysis.sightings
        record = self._analysis.home(tree)
        one = sightings.expression(record, tree) if sightings is not None else None
        yield from (fact.text for fact in one.seen) if one is not None else ()
        demand = one.demand if one is not None else None
        yield from (f"failed: {each.message}" for each in demand.failed) if demand else ()

    def _basis(self, now: Places, nodes: frozenset[int]) -> str:
        """Why a value is believed to be where it is."""
        if not now:
            return "unknown"
        if self._seen(nodes):
            return "seen"
        keys = map(self._analysis.graph.key, self._analysis.graph.made_of(nodes))
        of_parameters = any(isinstance(key, tuple) and key[0] == "root" for key in keys)
        return "assumed" if of_parameters else "inferred"

    def _seen(self, nodes: frozenset[int]) -> list[ast.AST]:
        """The expressions of which only runs tell what they are, and that have a part in these
        values; what a module is given has none in the module."""
        sightings, graph = self._analysis.sightings, self._analysis.graph
        if sightings is None:
            return []
        waiting, met = list(nodes), set(nodes)
        while waiting:
            node = waiting.pop()
            key = graph.key(node)
            if node > TARGET_NODE and not (isinstance(key, tuple) and key[0] == "object"):
                new = graph.sources(node).keys() - met
                met |= new
                waiting += new
        return [sightings.used[node] for node in sorted(met) if node in sightings.used]

    def _places(self, value: Value, nodes: frozenset[int]) -> Places:
        match value:
            case Array() | Loader() | Dataset():
                return frozenset((Label.HOST,))
            case Device(label=Label() as label):
                return frozenset((label,))
            case Instance(records=records) if records and all(r.host for r in records):
                return frozenset((Label.HOST,))
        return NOWHERE.union(*(self._today.get(node, NOWHERE) for node in nodes))

    def _why(
        self, after: _After, noted: Noted, nodes: frozenset[int], now: Places, then: Places
    ) -> Iterator[str]:
        """What decides where a value lives, other than its own way."""
        value, frame = noted.value, noted.frame
        if isinstance(value, Unknown):
            yield f"unknown: {value.reason or 'the result of this'}"
            return
        yield from self._about_runs(nodes)
        yield from self._about_callers(nodes)
        for node in sorted(nodes):
            yield from after.meetings(node)
        if nodes and (obstacle := after.obstacle(nodes)):
            yield obstacle
        elif frame.host:
            yield "this runs on the CPU (in a dataset, a sampler or a worker): it stays there"
        elif frame.building and Label.HOST in now and then == now:
            yield "a module's `__init__` creates it: it moves with the module if registered"
        elif nodes and now == then == {Label.HOST}:
            wanted = any(d.place is Label.TARGET for d in after.demands.of(nodes))
            if not wanted:
                yield "it is combined with nothing on the device, so it stays where it is"

    def _about_runs(self, nodes: frozenset[int]) -> Iterator[str]:
        """What is believed only because runs have seen it."""
        for tree in self._seen(nodes)[:MOST_WAYS]:
            source = self._analysis.home(tree).source
            where = _where(source, getattr(tree, "lineno", 1))
            yield f"seen in a run, not inferred: what `{source.segment(tree)}` is ({where})"

    def _about_callers(self, nodes: frozenset[int]) -> Iterator[str]:
        """What is assumed of parameters of functions that nobody calls."""
        for node in sorted(nodes):
            key = self._analysis.graph.key(node)
            if isinstance(key, tuple) and key[0] == "root":
                unseen = f"no call to `{getattr(key[1], 'name', 'a lambda')}` was found"
                if self._today.get(node):
                    yield f"{unseen}: `{key[2]}` is assumed to be on the device"
                else:
                    yield f"{unseen}, and its uses do not show what `{key[2]}` is"

    def _callers(self, frame: Frame, depth: int) -> Iterator[Spot]:
        """The calls that lead to a frame, and those that lead there, ``depth`` calls up."""
        current: Frame | None = frame
        for _ in range(depth):
            if current is None or current.caller is None:
                return
            for _, call in self._analysis.seen.entries.get(current.context, {}):
                if call in self._analysis.parents:  # a property is called by no call of the text
                    yield self._spot(call, "calls it")
            current = current.caller

    def _spot_of_step(self, step: Step) -> Spot:
        place = self._today.get(step.node, NOWHERE) if step.node is not None else NOWHERE
        settled = len(place) == 1 if step.moves else bool(place)
        where = _spelled(place) if settled else ""
        return replace(self._spot(step.tree, step.what, where), moves=step.moves)

    def _spot(self, tree: ast.AST, what: str, place: str = "") -> Spot:
        source = self._analysis.home(tree).source
        line = getattr(tree, "lineno", 1)
        where = source.placed(line)
        return Spot(source.path, where.line, source.line_text(line), what, place, where.cell)


class _After:
    """What the cut has decided."""

    def __init__(self, analysis: Analysis, decision: Decision, complete: bool) -> None:
        self._analysis = analysis
        self._complete = complete
        self._solution = decision.solution
        self._groups = Groups(analysis, decision.solution, decision.chosen)
        self.demands = Demands(analysis, decision.solution)

    def places(self, value: Value, nodes: frozenset[int], now: Places) -> Places:
        """Where a value lives after the fix; what was nowhere is only known to be on the device."""
        if isinstance(value, (Array, Loader, Dataset)) or not nodes or self.obstacle(nodes):
            return now
        brought = self._analysis.seen.brought & nodes
        # the cut sees no more of those than that the move behind them takes any
        came = (n for node in brought for n in self._analysis.graph.sources(node))
        found = frozenset(self._solution.label(node) for node in (*(nodes - brought), *came))
        return found if now else found & {Label.TARGET}

    def obstacle(self, nodes: frozenset[int]) -> str:
        """Why nothing at all is moved for these values."""
        if not self._complete:
            return "the program was not fully analysed: nothing is moved"
        for node in sorted(nodes):
            number = self._groups.find(node)
            if reason := self._groups.blocked(number):
                return f"{reason}: {self._conflict(number)}"
        return ""

    def _conflict(self, number: int) -> str:
        """Where a decision cannot be right whatever is written: best where two things meet."""
        broken = [edge for edge in self._analysis.graph.edges if self._solution.breaks(edge)]
        for edge in sorted(broken, key=lambda edge: min(edge.source, edge.sink) <= TARGET_NODE):
            ends = [end for end in (edge.source, edge.sink) if end > TARGET_NODE]
            trees = [edge.site.tree] if edge.site is not None else []
            trees += [t for t in (tree_of(self._analysis, end) for end in ends) if t is not None]
            if trees and self._groups.find(max(ends)) == number:
                line, source = getattr(trees[0], "lineno", 1), self._analysis.home(trees[0]).source
                where = _where(source, line)
                return f"{where} is needed both on the CPU and on the device"
        return "one value is needed both on the CPU and on the device"

    def group(self, nodes: frozenset[int]) -> str:
        """The decision that these values belong to."""
        return name_of_group(self._groups.find(min(nodes))) if nodes else ""

    def meetings(self, node: int) -> Iterator[str]:
        """Code that was not seen, beside a value."""
        for meeting in self._analysis.meetings.values():
            if meeting.node == node:
                line = getattr(meeting.tree, "lineno", 0)
                where = _where(self._analysis.home(meeting.tree).source, line)
                yield f"it is used in code that was not analysed ({where}: {meeting.reason})"


_NAMES = {Label.HOST: "CPU", Label.TARGET: "device"}


def _spelled(places: Places) -> str:
    return " or ".join(name for label, name in _NAMES.items() if label in places) or "unknown"


def _origins(belief: Belief) -> tuple[Spot, ...]:
    """Where the value began, whatever happened to it since."""
    return tuple(way[0] for way in belief.ways)


def _together(first: Belief, second: Belief) -> Belief:
    """Two expressions of which the same is believed: the shortest names both."""
    text, *also = sorted((first.text, *first.also, second.text), key=len)
    ways = max(first.ways, second.ways, key=lambda ways: sum(map(len, ways)))
    seen = tuple(dict.fromkeys((*first.seen, *second.seen)))
    return replace(first, text=text, also=tuple(also), ways=ways, seen=seen)
