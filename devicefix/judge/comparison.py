"""A program before and after the edits, both evaluated, and which expression became which."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TypeVar

from msgspec import Struct

from devicefix.findings import Span
from devicefix.flow.evaluated import Evaluated
from devicefix.flow.routes import made_or_moved
from devicefix.flow.values import Tensor, Value
from devicefix.judge.inside import Inside
from devicefix.judge.text_map import TextMap
from devicefix.source import Source
from devicefix.time_limit import check_time

_Node = TypeVar("_Node", bound=ast.AST)
Key = tuple[str, int, int]
"""A file, and a span of its original text."""
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Objection(Struct, frozen=True):
    """Why some edits are not safe."""

    check: str
    """The name of the check that says so."""
    path: str
    line: int
    """1-based, of the original text."""
    reason: str
    edits: frozenset[int]
    """The numbers of the edits that it is about; none where it cannot tell."""
    located: bool = False
    """The reason says itself where to look: the same for many edits, a user reads it once."""

    def __str__(self) -> str:
        return self.reason if self.located else f"{self.path}:{self.line}: {self.reason}"


class Move(Struct, frozen=True):
    """A call whose place the edits have said: ``x.to(device)``, ``zeros(n, device=device)``."""

    path: str
    call: ast.Call
    device: ast.expr
    replaces: ast.Call | None
    """The transfer of the original that stood there, or moved what is made there now."""


class Comparison(Struct, frozen=True, dict=True, eq=False):
    """Both programs, and the way from one to the other."""

    before: Evaluated
    after: Evaluated
    maps: Mapping[str, TextMap]
    """By file, for all files that were edited."""
    left: Mapping[str, Collection[Span]] = MappingProxyType({})
    """By file, what was found in the new program and is left, as no fix of it is safe."""

    # -- nodes -------------------------------------------------------------------------------------

    def source(self, path: str) -> Source:
        """The new text of a file."""
        return self.after.program.sources[path]

    def span(self, path: str, node: ast.AST) -> Span:
        """Where a node of the new program is; all checks ask, about each."""
        check_time()
        if node not in self._spans:
            self._spans[node] = self.source(path).span(node)
        return self._spans[node]

    @cached_property
    def _spans(self) -> dict[ast.AST, Span]:
        return {}

    def key(self, path: str, node: ast.AST) -> Key | None:
        """Where a node of the new program was in the original; None for one that is new."""
        span = self.span(path, node)
        known = self.maps.get(path)
        old = known.original(span) if known is not None else span
        return None if old is None else (path, old.start, old.end)

    def old_calls(self, path: str, call: ast.Call) -> Sequence[ast.Call]:
        """The calls of the original that stood where ``call`` of the new program does, the
        longest first. What edits took out right behind it may have been there as well.
        """
        key = self.key(path, call)
        if key is None:
            return ()
        _, start, end = key
        beginning = self._beginning.get((path, start), ())
        return [old for old_end, old in beginning if old_end <= end]

    @cached_property
    def _beginning(self) -> Mapping[tuple[str, int], Sequence[tuple[int, ast.Call]]]:
        """The calls of the original, with their ends, by where they begin, the longest first."""
        found: dict[tuple[str, int], list[tuple[int, ast.Call]]] = {}
        for path, source in self.before.program.sources.items():
            for call in source.of_type(ast.Call) if path in self.maps else ():
                span = source.span(call)
                found.setdefault((path, span.start), []).append((span.end, call))
        for calls in found.values():
            calls.sort(key=lambda one: -one[0])
        return found

    def is_new(self, path: str, node: ast.AST) -> bool:
        """Whether edits have written all of a node of the new program."""
        known = self.maps.get(path)
        return known is not None and known.is_new(self.span(path, node))

    def is_written(self, path: str, node: ast.AST) -> bool:
        """Whether a node of the new program was not there before the edits as it is now."""
        key = self.key(path, node)
        text = self.source(path).segment(node)
        return key is None or self.before.program.sources[path].text[key[1] : key[2]] != text

    def edits_in(self, path: str, node: ast.AST) -> frozenset[int]:
        """The edits that wrote a part of a node of the new program, or around it took some out."""
        known = self.maps.get(path)
        return known.edits_in(self.span(path, node)) if known is not None else frozenset()

    @cached_property
    def old_nodes(self) -> Mapping[Key, list[ast.expr]]:
        """The expressions of the original program by place, the outer ones first."""
        found: dict[Key, list[ast.expr]] = {}
        for path, source in self.before.program.sources.items():
            for node in source.nodes:
                if isinstance(node, ast.expr) and path in self.maps:
                    span = source.span(node)
                    found.setdefault((path, span.start, span.end), []).append(node)
        return found

    @cached_property
    def new_nodes(self) -> Mapping[Key, list[ast.expr]]:
        """The expressions of the new program by place in the original, the outer ones first."""
        found: dict[Key, list[ast.expr]] = {}
        for path in self.maps:
            for node in self.source(path).nodes:
                key = self.key(path, node) if isinstance(node, ast.expr) else None
                if key is not None and isinstance(node, ast.expr):
                    found.setdefault(key, []).append(node)
        return found

    def kept(self, path: str, kind: type[_Node]) -> Inside[_Node]:
        """The nodes of a kind in the new program, by place in the original."""
        known = ((self.key(path, n), n) for n in self.source(path).nodes if isinstance(n, kind))
        return Inside((Span(key[1], key[2]), node) for key, node in known if key is not None)

    def pairs(self) -> Iterator[tuple[str, ast.expr, ast.expr]]:
        """Each expression that no edit touched: its file, as it was, and as it is."""
        for key, olds in self.old_nodes.items():
            path, start, end = key
            text = self.before.program.sources[path].text[start:end]
            for new in self.new_nodes.get(key, ()):
                if type(new) is type(olds[0]) and self.source(path).segment(new) == text:
                    yield path, olds[0], new

    def called_anew(self, path: str, call: ast.Call, method: str) -> ast.expr | None:
        """``x`` as it was before an edit wrote ``.method()`` behind it."""
        if not isinstance(call.func, ast.Attribute) or call.func.attr != method:
            return None
        end = self.span(path, call.func).end
        key = self.key(path, call.func.value)
        olds = self.old_nodes.get(key, []) if key is not None else []
        new = self.maps[path].is_new(Span(end - len(method), end))
        return olds[0] if olds and new else None

    def old_line(self, path: str, node: ast.AST) -> int:
        """The line of the original in which a node of the new program was, or went in."""
        known = self.maps.get(path)
        if known is None:
            return int(getattr(node, "lineno", 1))
        at = self.span(path, node).start
        origin = known.origins[at] if at < len(known.origins) else -1
        offset = origin if origin >= 0 else known.starts[at]
        return self.before.program.sources[path].position(offset)[0]

    # -- what the edits did ------------------------------------------------------------------------

    @cached_property
    def moves(self) -> Sequence[Move]:
        """The calls whose place edits have said, in the order of the files and lines."""
        found = []
        for path in self.maps:
            for call in self.source(path).of_type(ast.Call):
                device = device_of(call)
                if device is not None and self._is_said_anew(path, device):
                    found.append(Move(path, call, device, self._replaced(path, call)))
        return found

    def _is_said_anew(self, path: str, device: ast.expr) -> bool:
        return bool(self.maps[path].makers_in(self.span(path, device)))

    def _replaced(self, path: str, call: ast.Call) -> ast.Call | None:
        olds = self.old_calls(path, call)
        there = next((old for old in olds if is_transfer(old)), None)
        made = (n for old in olds for v in self.before.values(old) for n in _nodes(v))
        return there or next((self._moved[n] for n in made if n in self._moved), None)

    @cached_property
    def _moved(self) -> Mapping[int, ast.Call]:
        """The transfers of the original that are gone, by the nodes of what had been made."""
        analysis, found = self.before.analysis, dict[int, ast.Call]()
        for call, seen in analysis.seen.transfers.items():
            path = analysis.home(call).path
            if path in self.maps and not self._stays(path, call):
                nodes = {n for value, _, _ in seen for n in _nodes(value)}
                found.update(dict.fromkeys(made_or_moved(analysis, nodes), call))
        return found

    def _stays(self, path: str, call: ast.Call) -> bool:
        span = self.before.program.sources[path].span(call)
        after = self.new_nodes.get((path, span.start, span.end), ())
        return any(isinstance(node, ast.Call) and is_transfer(node) for node in after)

    def objection(
        self, check: str, path: str, node: ast.AST, reason: str, *more: ast.AST
    ) -> Objection:
        """That ``check`` refuses the edits in a node of the new program, and in ``more`` nodes."""
        edits = frozenset[int]().union(*(self.edits_in(path, n) for n in (node, *more)))
        return Objection(check, path, self.old_line(path, node), reason, edits)


def _nodes(value: Value) -> frozenset[int]:
    return value.nodes if isinstance(value, Tensor) else frozenset()


def device_of(call: ast.Call) -> ast.expr | None:
    """The argument that says where a call puts its result, as far as the text tells."""
    for keyword in call.keywords:
        if keyword.arg == "device":
            return keyword.value
    if is_transfer(call) and call.args and isinstance(call.func, ast.Attribute):
        return call.args[0] if call.func.attr == "to" else None
    return None


def is_transfer(call: ast.Call) -> bool:
    """``x.to(…)``, ``x.cuda()``, ``x.cpu()``."""
    return isinstance(call.func, ast.Attribute) and call.func.attr in ("to", "cuda", "cpu", "type")


def enclosing(side: Evaluated, node: ast.AST) -> Iterator[ast.AST]:
    """The nodes around ``node``, the nearest first."""
    above = side.parents.get(node)
    while above is not None:
        yield above
        above = side.parents.get(above)
