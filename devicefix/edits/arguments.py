"""New first arguments, names for positional ones, and conditions that get stricter."""

from __future__ import annotations

import ast
import re
from typing import Final

from devicefix.edits.errors import EditError
from devicefix.edits.expressions import replace_expression
from devicefix.edits.gaps import is_bare_generator, outer_span, require_editable, skip_forward
from devicefix.findings import Edit
from devicefix.source import Source

_LOOSER_THAN_AND = (ast.IfExp, ast.Lambda, ast.NamedExpr)

_NAME: Final = re.compile(r"\w+")
"""As it is written: the tree has names in normal form, which may be of another length
(https://docs.python.org/3/reference/lexical_analysis.html#identifiers)."""


def insert_argument(source: Source, call: ast.Call, text: str) -> Edit:
    """Make ``text`` (one argument or several) the first of a call.

    On calls without arguments the parentheses are replaced as a whole: give them all new arguments
    at once. Raises ``EditError`` where the call cannot be rewritten.
    """
    require_editable(source, call, text)
    if any(is_bare_generator(source, argument) for argument in call.args):
        raise EditError("the generator expression has no parentheses of its own")
    opening = skip_forward(source.text, outer_span(source, call.func).end)
    first = _first_argument(source, call)
    if first is None:
        inside = source.text[opening + 1 : source.span(call).end - 1]
        if inside.strip():
            raise EditError("a comment between the parentheses would be lost")
        return Edit(opening, source.span(call).end, 0, f"({text})")
    gap = source.text[opening + 1 : first]
    separator = gap if gap and not gap.strip() and "\n" in gap else " "
    return Edit(first, first, 0, f"{text},{separator}")


def name_argument(source: Source, call: ast.Call, index: int, name: str) -> Edit:
    """``f(x)`` -> ``f(name=x)``; raises ``EditError`` for spread arguments and generators."""
    argument = call.args[index]
    if isinstance(argument, ast.Starred) or is_bare_generator(source, argument):
        raise EditError("the argument is unpacked or a generator")
    require_editable(source, call)
    start = outer_span(source, argument).start
    return Edit(start, start, 1, f"{name}=")


def conjoin(source: Source, condition: ast.expr, text: str) -> Edit:
    """``condition`` -> ``condition and text``; what is surely true gives way."""
    if isinstance(condition, ast.Constant) and condition.value is True:
        return replace_expression(source, condition, text)
    old = source.segment(condition)
    either = isinstance(condition, ast.BoolOp) and isinstance(condition.op, ast.Or)
    if either or isinstance(condition, _LOOSER_THAN_AND):
        old = f"({old})"
    return replace_expression(source, condition, f"{old} and {text}")


def _first_argument(source: Source, call: ast.Call) -> int | None:
    starts = [
        source.span(a).start if isinstance(a, ast.Starred) else outer_span(source, a).start
        for a in call.args
    ]
    starts += [source.span(keyword).start for keyword in call.keywords]
    return min(starts, default=None)


def replace_argument(source: Source, call: ast.Call, value: ast.expr, text: str) -> Edit:
    """Put ``text`` (``name=value``) in the place of an argument, with the name that it has.

    Raises ``EditError`` where the call has no such argument.
    """
    for keyword in call.keywords:
        if keyword.value is value:
            start = source.span(keyword).start
            return Edit(start, outer_span(source, value).end, 0, text)
    if value not in call.args:
        raise EditError("the call has no such argument")
    require_editable(source, call, text)
    span = outer_span(source, value)
    return Edit(span.start, span.end, 0, text)


def rename_keyword(source: Source, call: ast.Call, name: str, new: str) -> Edit:
    """``f(name=x)`` -> ``f(new=x)``; raises ``EditError`` where the call has no such keyword."""
    for keyword in call.keywords:
        if keyword.arg == name:
            require_editable(source, call, new)
            start = source.span(keyword).start
            written = _NAME.match(source.text, start)
            assert written is not None
            return Edit(start, written.end(), 0, new)
    raise EditError(f"the call has no keyword {name!r}")
