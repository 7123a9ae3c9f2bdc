"""What stands between nodes: white space, comments and parentheses, which no tree shows."""

from __future__ import annotations

import ast
import re
from typing import Final

from devicefix.edits.errors import EditError
from devicefix.findings import Span
from devicefix.source import Source

_GAP: Final = re.compile(r"(?:[\s\\]|#[^\r\n]*)*")
_LINE_GAP: Final = re.compile(r"(?:[ \t\f]|\\(?:\r\n|\r|\n))*")
_BLANK: Final = " \t\f\\\r\n"
_FSTRING_HOSTILE: Final = frozenset("\\#\r\n")


def skip_forward(text: str, at: int) -> int:
    """The offset of the first character from ``at`` that is no white space and in no comment."""
    match = _GAP.match(text, at)
    return match.end() if match else at


def skip_line_forward(text: str, at: int) -> int:
    """As ``skip_forward``, but stops at comments and at the end of the logical line."""
    match = _LINE_GAP.match(text, at)
    return match.end() if match else at


def skip_back(source: Source, at: int) -> int:
    """The offset behind the last character before ``at`` that is no white space, in no comment."""
    text = source.text
    while at and text[at - 1] in _BLANK:
        at -= 1
        if text[at] not in "\r\n":
            continue
        start = source.line_start(at)
        if "#" in text[start:at]:
            comment = source.comments.get(source.position(start)[0])
            at = min(at, comment.start) if comment else at
    return at


def continues(source: Source, line_start: int) -> bool:
    """Whether the line that starts here goes on from one that ends in a backslash."""
    before = source.text[max(0, line_start - 3) : line_start]
    before = before.removesuffix("\n").removesuffix("\r")
    if not before.endswith("\\"):
        return False
    return source.position(line_start)[0] - 1 not in source.comments


def own_parentheses(source: Source, expr: ast.expr) -> list[Span]:
    """The pairs of parentheses that only group ``expr``, the innermost first.

    Those of a call or of a class header are not among them.
    """
    pairs: list[Span] = []
    span = inner_span(source, expr)
    while True:
        before, after = skip_back(source, span.start), skip_forward(source.text, span.end)
        if source.text[before - 1 : before] != "(" or source.text[after : after + 1] != ")":
            break
        span = Span(before - 1, after + 1)
        pairs.append(span)
    if pairs and _is_syntax(source, expr, pairs[-1]):
        pairs.pop()
    return pairs


def outer_span(source: Source, expr: ast.expr) -> Span:
    """Where an expression is, with the parentheses that only group it."""
    pairs = own_parentheses(source, expr)
    return pairs[-1] if pairs else inner_span(source, expr)


def inner_span(source: Source, expr: ast.expr) -> Span:
    """Where an expression is; of a sole generator argument (``f(x for x in y)``) without the call's
    parentheses, which ``ast`` counts as its own."""
    span = source.span(expr)
    if not is_bare_generator(source, expr):
        return span
    return Span(skip_forward(source.text, span.start + 1), skip_back(source, span.end - 1))


def is_bare_generator(source: Source, expr: ast.expr) -> bool:
    """Whether ``expr`` is a generator whose parentheses are those of a call."""
    parent = source.parent(expr)
    return (
        isinstance(expr, ast.GeneratorExp)
        and isinstance(parent, ast.Call)
        and any(argument is expr for argument in parent.args)
        and source.span(parent).end == source.span(expr).end
    )


def require_editable(source: Source, node: ast.AST, *texts: str) -> None:
    """Raise ``EditError`` where ``node`` cannot be rewritten, or not with these texts.

    Inside an f-string neither its quotes nor backslashes, comments or line ends may appear: only
    Python 3.12 and later accept them there (PEP 701), whichever Python runs us.
    """
    if not source.is_editable(node):
        raise EditError("cannot be rewritten inside this f-string")
    fstring = source.fstring_of(node)
    if fstring is None:
        return
    literal = source.segment(fstring)
    first_quote = next(character for character in literal if character in "\"'")
    hostile = _FSTRING_HOSTILE | {first_quote, literal[-1]}
    if any(character in hostile for text in texts for character in text):
        raise EditError("the new text cannot be written inside this f-string")


def _is_syntax(source: Source, expr: ast.expr, pair: Span) -> bool:
    """Whether a pair around ``expr`` belongs to the call or the class header that holds it."""
    parent = source.parent(expr)
    if isinstance(parent, ast.Call):
        return parent.func is not expr and pair.end == source.span(parent).end
    if isinstance(parent, ast.ClassDef) and any(base is expr for base in parent.bases):
        return source.text.startswith(":", skip_forward(source.text, pair.end))
    return False
