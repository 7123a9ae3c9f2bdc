"""Wrapping and replacing expressions."""

from __future__ import annotations

import ast
import re
from typing import Final

from devicefix.edits import ranks
from devicefix.edits.errors import EditError
from devicefix.edits.gaps import (
    inner_span,
    is_bare_generator,
    outer_span,
    own_parentheses,
    require_editable,
)
from devicefix.findings import Edit, Span
from devicefix.source import Source, SourceError

_ATOMS: Final = (
    ast.Name,
    ast.Attribute,
    ast.Call,
    ast.Subscript,
    ast.List,
    ast.Dict,
    ast.Set,
    ast.ListComp,
    ast.DictComp,
    ast.SetComp,
    ast.GeneratorExp,
    ast.JoinedStr,
)
"""Expressions that bind as tightly as an attribute access."""

_LOOSEST: Final = (ast.Tuple, ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Starred)
"""Expressions that read differently, or not at all, as one argument or element."""

_ROOMY: Final = (
    ast.stmt,
    ast.keyword,
    ast.arguments,
    ast.List,
    ast.Set,
    ast.Tuple,
    ast.Subscript,
    ast.Call,
)
"""Holders in which a ternary or a lambda needs no parentheses (``a[…]``, ``f(…)`` only inside)."""


_ITEMS: Final = ("h", "state", "item", "part")
"""Names for one of several; whatever they mean around it, they mean that inside only."""


def append_call(source: Source, expr: ast.expr, suffix: str, rank: int = 0) -> tuple[Edit, ...]:
    """Write ``suffix`` (``.to(device)``) behind ``expr``, which gets parentheses if need be.

    ``rank`` (0 to 998) orders several suffixes of one expression. Nested expressions may each get a
    suffix in one round. Raises ``EditError`` for what is no value (assignment targets, patterns,
    slices, ``*args``) and for pieces of f-strings that cannot be rewritten.
    """
    _require_value(source, expr)
    require_editable(source, expr, suffix)
    span = inner_span(source, expr)
    length = span.end - span.start
    behind = ranks.appended(length, rank)
    if not _needs_parentheses(source, expr):
        return (Edit(span.end, span.end, behind, suffix),)
    pairs = own_parentheses(source, expr)
    if pairs:
        return (Edit(pairs[0].end, pairs[0].end, behind, suffix),)
    return (
        Edit(span.start, span.start, ranks.opening(length), "("),
        Edit(span.end, span.end, ranks.closing(length), ")"),
        Edit(span.end, span.end, behind, suffix),
    )


def as_last_argument(source: Source, expr: ast.expr, start: str) -> tuple[Edit, ...]:
    """``expr`` -> ``max(1, expr)``, where ``start`` is ``max(1, ``.

    Raises ``EditError`` as `append_call`.
    """
    _require_value(source, expr)
    require_editable(source, expr, start)
    span = inner_span(source, expr)
    length = span.end - span.start
    return (
        Edit(span.start, span.start, ranks.opening(length), start),
        Edit(span.end, span.end, ranks.closing(length), ")"),
    )


def each_of(source: Source, expr: ast.expr, suffix: str, rank: int = 0) -> tuple[Edit, ...]:
    """Write ``suffix`` behind each item of a tuple: ``tuple(h.to(device) for h in expr)``.

    ``*expr`` becomes ``*(h.to(device) for h in expr)``.

    Raises ``EditError`` as `append_call` does.
    """
    _require_value(source, expr)
    require_editable(source, expr, suffix)
    span = inner_span(source, expr)
    known = source.segment(expr) + suffix
    item = next((name for name in _ITEMS if not re.search(rf"\b{name}\b", known)), None)
    if item is None:
        raise EditError("no unused name for an item is available")
    made = "" if isinstance(source.parent(expr), ast.Starred) else "tuple"
    start = f"{made}({item}{suffix} for {item} in "
    length = span.end - span.start
    return (
        Edit(span.start, span.start, ranks.opening(length), start),
        Edit(span.end, span.end, ranks.appended(length, rank), ")"),
    )


def replace_expression(source: Source, expr: ast.expr, text: str) -> Edit:
    """Put ``text`` in the place of ``expr``, in parentheses where precedence needs them.

    Parentheses that grouped ``expr`` go where ``text`` needs none and nothing else is lost. What
    was taken out of brackets may have line ends that only brackets allow, and gets some. Raises
    ``EditError`` where ``text`` is no expression or ``expr`` cannot be rewritten.
    """
    _require_value(source, expr)
    require_editable(source, expr, text)
    text, new, grouped = _parse_expression(text)
    pairs = own_parentheses(source, expr)
    span = inner_span(source, expr)
    if pairs and (grouped or _is_tight(new)) and _only_blanks_between(source, pairs[-1], span):
        span = pairs[-1]
    elif not pairs and not grouped and _needs_grouping(source, expr, new):
        text = f"({text})"
    before, after = source.text[span.start - 1 : span.start], source.text[span.end : span.end + 1]
    if span.start and _is_word(before) and (_is_word(text[0]) or text[0] in "\"'"):
        text = f" {text}"
    if _is_word(after) and (_is_word(text[-1])):
        text = f"{text} "
    return Edit(span.start, span.end, 0, text)


def binds_tightly(expr: ast.expr) -> bool:
    """Whether ``expr.method()`` needs no parentheses around ``expr``."""
    return _is_tight(expr) or (isinstance(expr, ast.Constant) and expr.value is None)


def fits_unbracketed(source: Source, place: ast.expr, new: ast.expr) -> bool:
    """Whether ``new`` can stand where ``place`` stands without parentheses around it."""
    return not _needs_grouping(source, place, new)


def _require_value(source: Source, expr: ast.expr) -> None:
    parent = source.parent(expr)
    if isinstance(expr, ast.Starred | ast.Slice):
        raise EditError(f"{type(expr).__name__.lower()} expressions have no value of their own")
    if not isinstance(getattr(expr, "ctx", None), ast.Load | None):
        raise EditError("an assignment target is not a value")
    while isinstance(parent, ast.expr):
        parent = source.parent(parent)
    if isinstance(parent, ast.pattern):
        raise EditError("a pattern is not an expression")
    if _exists_only_in_brackets(source, expr):
        raise EditError("the subscript is a tuple without parentheses")


def _exists_only_in_brackets(source: Source, expr: ast.expr) -> bool:
    """Whether ``expr`` is the tuple of ``a[1:2, 3]`` or ``a[*b]``."""
    if not isinstance(expr, ast.Tuple) or not isinstance(source.parent(expr), ast.Subscript):
        return False
    return any(isinstance(element, ast.Slice | ast.Starred) for element in expr.elts)


def _needs_parentheses(source: Source, expr: ast.expr) -> bool:
    """Whether ``expr.method()`` would bind differently from ``(expr).method()``."""
    if isinstance(expr, ast.GeneratorExp):
        return is_bare_generator(source, expr)
    if isinstance(expr, ast.Tuple):
        return not _is_parenthesised(source, expr)
    return not _is_tight(expr)


def _is_tight(expr: ast.expr) -> bool:
    if isinstance(expr, ast.Constant):
        return isinstance(expr.value, bool) or not isinstance(expr.value, int | float | complex)
    return isinstance(expr, _ATOMS)


def _is_parenthesised(source: Source, expr: ast.Tuple) -> bool:
    """Whether the parentheses of a tuple are there; they belong to its span."""
    start = source.span(expr).start
    if not source.text.startswith("(", start):
        return False
    first = next(iter(expr.elts), None)
    return first is None or outer_span(source, first).start > start


def _parse_expression(text: str) -> tuple[str, ast.expr, bool]:
    """``text`` (in parentheses if its line ends need some), its tree, and whether it has any."""
    source = Source.from_text(text)
    new = _sole_expression(source)
    if new is None and source.line_end(0) < len(text):
        source = Source.from_text(f"({text})")
        new = _sole_expression(source)
        if new is not None and not _is_grouped(source, new):
            new = None  # `a\n) + (b`
    if new is None or isinstance(new, ast.Starred) or text != text.strip():
        raise EditError(f"not an expression: {text!r}")
    return source.text, new, _is_grouped(source, new)


def _is_grouped(source: Source, new: ast.expr) -> bool:
    tuple_grouped = isinstance(new, ast.Tuple) and _is_parenthesised(source, new)
    return tuple_grouped or bool(own_parentheses(source, new))


def _sole_expression(source: Source) -> ast.expr | None:
    """What a text is that is one expression and nothing else."""
    try:
        body = source.tree.body
    except SourceError:
        return None
    return body[0].value if len(body) == 1 and isinstance(body[0], ast.Expr) else None


def _needs_grouping(source: Source, expr: ast.expr, new: ast.expr) -> bool:
    """Whether ``new`` must be put in parentheses to stand where ``expr`` stood without."""
    parent = source.parent(expr)
    if isinstance(new, _LOOSEST):
        return True
    if source.fstring_of(expr) is not None and _reads_as_a_field(new):
        return True
    if isinstance(parent, ast.Attribute):
        return not _is_tight(new)
    if isinstance(new, ast.Constant) or _is_tight(new):
        return False
    heads = isinstance(parent, ast.Call) and parent.func is expr
    heads = heads or (isinstance(parent, ast.Subscript) and parent.value is expr)
    return heads or not isinstance(parent, _ROOMY)


def _reads_as_a_field(new: ast.expr) -> bool:
    """Whether a ``:`` or ``{`` of it would be one of the f-string around it."""
    if isinstance(new, ast.Dict | ast.Set | ast.DictComp | ast.SetComp):
        return True
    return any(isinstance(node, ast.Lambda) for node in ast.walk(new))


def _only_blanks_between(source: Source, outer: Span, inner: Span) -> bool:
    margins = source.text[outer.start : inner.start] + source.text[inner.end : outer.end]
    return not margins.strip("() \t")


def _is_word(character: str) -> bool:
    return character == "_" or character.isalnum()
