"""Another program of a program: statements and expressions of others in the place of its own.

Text changes only where a node was, so that most of what comes out parses and is laid out as people
do; bytes alone would mostly give texts that Python refuses.
"""

from __future__ import annotations

import ast
import functools
import random
import re
import textwrap
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from devicefix.source import Source, SourceError

_ATTEMPTS: Final = 5
_MOST_CHANGES: Final = 4
_STRANGE: Final = (
    *("\u00e9", "\u2028", "\f", "\t", "\\\n", "\r\n", "\r", "\ufeff", " # c\n", ";"),
    *("\U0001d4b3", "\ufb01", "\n\n", ":", ", ", "=", "*", "**", ".", "@", "await ", "yield "),
    *(' """', "'", "(", ")"),
)
_ODD: Final = (
    *("lambda: 0", "(yield)", "(x := 1)", "*x", "f'{x!r:>{w}}'", "...", "[*x]", "{**x}", "-1"),
    *("'é'", "x if y else z", "not x", "a[1:, None]", "(i for i in x)", "x.data[0]", "1 .real"),
    *("x.cuda()", "x.to(device)", "torch.zeros(1)", "'cuda:0'", "model(x)", "x.numpy()", "b''"),
)
"""Expressions that seeds have little of."""


@dataclass(frozen=True)
class Pieces:
    """What the seeds consist of."""

    expressions: list[str] = field(default_factory=list)
    statements: list[str] = field(default_factory=list)


def pieces(programs: Iterable[bytes]) -> Pieces:
    """The expressions and statements of ``programs``, each once."""
    expressions, statements = dict.fromkeys(_ODD), dict[str, None]()
    for program in programs:
        source = _parsed(program)
        if source is None:
            continue
        for node in source.nodes:
            if isinstance(node, ast.stmt):
                span = source.statement_span(node)
                text = source.indent_of(node) + source.text[span.start : span.end]
                statements[textwrap.dedent(text)] = None
            elif isinstance(node, ast.expr) and source.is_editable(node):
                expressions[source.segment(node)] = None
    return Pieces(list(expressions), list(statements))


def splicer(programs: Callable[[], Iterable[bytes]]) -> Callable[[bytes, random.Random], bytes]:
    """Makes other programs with pieces of ``programs``."""
    known = functools.cache(lambda: pieces(programs()))

    def mutate(data: bytes, chance: random.Random) -> bytes:
        for _ in range(chance.randint(1, _MOST_CHANGES)):
            data = _changed(data, known(), chance)
        return data

    return mutate


def _changed(data: bytes, known: Pieces, chance: random.Random) -> bytes:
    """``data`` with one change; one that parses, if some attempts give one."""
    source = _parsed(data)
    if source is None or not source.tree.body:
        return chance.choice(known.statements).encode("utf-8", "surrogatepass")
    for _ in range(_ATTEMPTS):
        change = chance.choice(_CHANGES)
        new = change(source, known, chance).encode("utf-8", "surrogatepass")
        if _parsed(new) is not None:
            return new
    return new


def _parsed(data: bytes) -> Source | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            source = Source.from_bytes(data, "seed.py")
            _ = source.tree
        except SourceError:
            return None
    return source


def _other_expression(source: Source, known: Pieces, chance: random.Random) -> str:
    """An expression of another program, or of this one, in the place of one."""
    own = [n for n in source.nodes if isinstance(n, ast.expr) and source.is_editable(n)]
    if not own:
        return source.text
    here = chance.random() < 0.5
    new = source.segment(chance.choice(own)) if here else chance.choice(known.expressions)
    return _put(source, chance.choice(own), f"({new})" if chance.random() < 0.3 else new)


def _other_name(source: Source, known: Pieces, chance: random.Random) -> str:
    """Another name of this program, so that what is spliced in gets hold of what is there."""
    own = [n for n in source.nodes if isinstance(n, ast.Name) and source.is_editable(n)]
    if not own:
        return source.text
    return _put(source, chance.choice(own), chance.choice(own).id)


def _put(source: Source, node: ast.AST, text: str) -> str:
    span = source.span(node)
    return source.text[: span.start] + text + source.text[span.end :]


def _statements(source: Source) -> Sequence[ast.stmt]:
    return [n for n in source.nodes if isinstance(n, ast.stmt)]


def _another_statement(source: Source, known: Pieces, chance: random.Random) -> str:
    """A statement of another program, or of this one, above one or in its place."""
    place = chance.choice(_statements(source))
    if chance.random() < 0.5:
        new = chance.choice(known.statements)
    else:
        one = chance.choice(_statements(source))
        span = source.statement_span(one)
        new = textwrap.dedent(source.indent_of(one) + source.text[span.start : span.end])
    indent = source.indent_of(place)
    laid = textwrap.indent(new, indent)[len(indent) :]
    span = source.statement_span(place)
    if chance.random() < 0.5:
        return source.text[: span.start] + laid + source.text[span.end :]
    return source.text[: span.start] + laid + source.newline + indent + source.text[span.start :]


def _without_statement(source: Source, known: Pieces, chance: random.Random) -> str:
    """No statement where there is one, if something else is beside it."""
    span = source.statement_span(chance.choice(_statements(source)))
    return source.text[: span.start] + source.text[span.end :].lstrip(" \t\r\n")


def _inside(source: Source, known: Pieces, chance: random.Random) -> str:
    """A statement below something."""
    place = chance.choice(_statements(source))
    span = source.statement_span(place)
    indent = source.indent_of(place)
    head = chance.choice(
        ("if x:", "for i in x:", "with torch.no_grad():", "def f(x):", "class C:", "while x:",
         "try:", "async def g():", "if torch.cuda.is_available():", "lambda: 0;")
    )  # fmt: skip
    body = textwrap.indent(source.text[span.start : span.end], "    ", lambda line: True)
    tail = f"\n{indent}finally:\n{indent}    pass" if head == "try:" else ""
    new = f"{head}\n{indent}{body}{tail}"
    return source.text[: span.start] + new + source.text[span.end :]


def _strange(source: Source, known: Pieces, chance: random.Random) -> str:
    """Something strange somewhere between two words."""
    places = [match.start() for match in re.finditer(r"\b|$|^", source.text)]
    at = chance.choice(places)
    return source.text[:at] + chance.choice(_STRANGE) + source.text[at:]


def _line_ends(source: Source, known: Pieces, chance: random.Random) -> str:
    """Other line ends."""
    return re.sub(r"\r\n|\r|\n", chance.choice(("\n", "\r\n", "\r")), source.text)


_CHANGES: Final = (
    *(_other_expression,) * 6,
    *(_other_name,) * 4,
    *(_another_statement,) * 6,
    _without_statement,
    _inside,
    *(_strange,) * 2,
    _line_ends,
)
"""Those that are wanted more often stand here more often."""
