"""Rewrites of calls and expressions: what comes out means what it was to mean, and no more."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Final

from devicefix.edits import (
    EditError,
    add_keyword,
    append_call,
    conjoin,
    insert_argument,
    name_argument,
    remove_keyword,
    remove_method,
    rename_keyword,
    replace_argument,
    replace_expression,
    replace_keyword,
    replace_method,
)
from devicefix.findings import Edit
from devicefix.source import Source, SourceError
from fuzz.seeds import cases, encoded, examples, texts_of
from fuzz.splicing import splicer
from fuzz.target import Target, require

_MOST_NODES: Final = 12
_NEW: Final = ("d", "a if b else c", "x, y", "a or b", "lambda: 0", "not a", "-a", "1", "a.b(c)")
_FRESH: Final = "fresh_device"
_Rewrite = partial[Sequence[Edit]] | partial[tuple[Edit, ...]]
_Meaning = Callable[[ast.expr], ast.expr]


def check(data: bytes) -> None:
    """Each rewrite of some calls and expressions, one at a time."""
    try:
        source = Source.from_bytes(data, "file.py")
        nodes = source.nodes
    except SourceError:
        return
    exprs = _expressions(nodes)
    step = len(exprs) // _MOST_NODES + 1
    for number, node in list(enumerate(exprs))[::step]:
        case = _Case(source, node)
        case.expression(_NEW[number % len(_NEW)])
        if isinstance(node, ast.Call):
            case.call(node)


class _Case:
    """One expression of a program."""

    def __init__(self, source: Source, node: ast.expr) -> None:
        self._source = source
        self._node = node
        self._span = source.span(node)

    def expression(self, text: str) -> None:
        """What can be done with any expression."""
        source, node = self._source, self._node
        if isinstance(source.parent(node), ast.withitem) and text == "x, y":
            return  # that would be two items
        new = ast.parse(text, mode="eval").body
        self._means(partial(_one, replace_expression, source, node, text), lambda n: new)
        self._means(partial(append_call, source, node, ".to(d)"), _moved)
        if isinstance(node, ast.Compare | ast.BoolOp | ast.Name):
            self._parses(partial(_one, conjoin, source, node, "a"))

    def call(self, call: ast.Call) -> None:
        """What can be done with calls, all of it inside of them."""
        source = self._source
        self._means(partial(_one, add_keyword, source, call, _FRESH, "d"), _with_keyword)
        self._inside(partial(_one, insert_argument, source, call, "d"))
        self._means(partial(_one, remove_method, source, call), _receiver)
        self._inside(partial(_one, replace_method, source, call, "to(d)"))
        for at, argument in enumerate(call.args):
            self._inside(partial(_one, name_argument, source, call, at, _FRESH), always=False)
            self._inside(partial(_one, replace_argument, source, call, argument, "d"))
        names = [keyword.arg for keyword in call.keywords if keyword.arg is not None]
        for name in [name for name in names if names.count(name) == 1]:  # else it is no program
            self._means(partial(_one, remove_keyword, source, call, name), _without(name))
            self._inside(partial(_one, rename_keyword, source, call, name, _FRESH))
            self._inside(partial(_one, replace_keyword, source, call, name, "a if b else c"))

    def _means(self, rewrite: _Rewrite, meaning: _Meaning) -> None:
        """The new text has the tree in which the node is what ``meaning`` makes of it."""
        new = self._parses(rewrite)
        if new is not None:
            tree = _parsed(self._source.text)
            assert tree is not None
            _Swap(self._twin(tree), meaning).visit(tree)
            same = ast.dump(tree) == ast.dump(new)
            require(same, f"{_name(rewrite)} means something else")

    def _twin(self, tree: ast.Module) -> ast.expr:
        """The node of ``tree``, the program as Python parses it, that is the expression.

        `Source` leaves annotations out, so that the n-th expression of one may be another one in
        the other. Several of a kind share a place in f-strings alone, which stay in order.
        """
        place = _place(self._node)
        own = [node for node in _expressions(self._source.nodes) if _place(node) == place]
        same = [node for node in _expressions(ast.walk(tree)) if _place(node) == place]
        assert len(own) == len(same)
        return same[next(at for at, node in enumerate(own) if node is self._node)]

    def _inside(self, rewrite: _Rewrite, always: bool = True) -> None:
        """Nothing outside of the node changes."""
        self._parses(rewrite, always)
        for edit in _made(rewrite):
            inside = self._span.start <= edit.start and edit.end <= self._span.end
            require(inside, f"{_name(rewrite)} reaches out of the call")

    def _parses(self, rewrite: _Rewrite, always: bool = True) -> ast.Module | None:
        """The tree of the new text; None where it is refused to make one."""
        edits = _made(rewrite)
        if not edits:
            return None
        new = _parsed(self._source.apply(edits))
        # a name before a later positional argument is a mistake of who asked for it
        require(new is not None or not always, f"{_name(rewrite)} gives no Python")
        return new


def _one(rewrite: Callable[..., Edit], *arguments: object) -> Sequence[Edit]:
    return [rewrite(*arguments)]


def _made(rewrite: _Rewrite) -> Sequence[Edit]:
    try:
        return rewrite()
    except EditError:
        return ()


def _name(rewrite: _Rewrite) -> str:
    """Which rewrite it is."""
    return str((rewrite.args[0] if rewrite.func is _one else rewrite.func).__name__)


class _Swap(ast.NodeTransformer):
    """Puts what ``meaning`` makes of ``node`` in its place."""

    def __init__(self, node: ast.expr, meaning: _Meaning) -> None:
        self._node = node
        self._meaning = meaning

    def visit(self, node: ast.AST) -> ast.AST:
        return self._meaning(self._node) if node is self._node else self.generic_visit(node)


def _expressions(nodes: Iterable[ast.AST]) -> list[ast.expr]:
    return [node for node in nodes if isinstance(node, ast.expr)]


def _place(node: ast.expr) -> tuple[object, ...]:
    return type(node), node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def _parsed(text: str) -> ast.Module | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError):
            return None


def _receiver(node: ast.expr) -> ast.expr:
    assert isinstance(node, ast.Call)
    assert isinstance(node.func, ast.Attribute)
    return node.func.value


def _moved(node: ast.expr) -> ast.expr:
    method = ast.Attribute(node, "to", ast.Load())
    return ast.Call(method, [ast.Name("d", ast.Load())], [])


def _with_keyword(node: ast.expr) -> ast.expr:
    """The last argument, but before all of ``**`` that come last."""
    assert isinstance(node, ast.Call)
    at = len(node.keywords)
    while at and node.keywords[at - 1].arg is None:
        at -= 1
    new = ast.keyword(_FRESH, ast.Name("d", ast.Load()))
    return ast.Call(node.func, node.args, [*node.keywords[:at], new, *node.keywords[at:]])


def _without(name: str) -> _Meaning:
    def meaning(node: ast.expr) -> ast.expr:
        assert isinstance(node, ast.Call)
        return ast.Call(node.func, node.args, [k for k in node.keywords if k.arg != name])

    return meaning


def seeds() -> Iterator[bytes]:
    """The tests of the room, small cases of codemods, and small examples."""
    yield from encoded(text for text in texts_of("edits", 4) if _parsed(text) is not None)
    yield from (data for data in encoded(cases()) if len(data) < TARGET.longest)
    yield from (data for data in examples() if len(data) < TARGET.longest)


TARGET: Final = Target(check, seeds, 700, splicer(lambda: seeds()))
