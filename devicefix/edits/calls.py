"""Arguments and methods of calls."""

from __future__ import annotations

import ast
from typing import NoReturn

from devicefix.edits.errors import EditError
from devicefix.edits.expressions import replace_expression
from devicefix.edits.gaps import (
    inner_span,
    is_bare_generator,
    outer_span,
    own_parentheses,
    require_editable,
    skip_back,
    skip_forward,
    skip_line_forward,
)
from devicefix.findings import Edit, Span
from devicefix.source import Source


def replace_keyword(source: Source, call: ast.Call, name: str, value: str) -> Edit:
    """Put ``value`` in the place of the value of the keyword ``name``.

    Raises ``EditError`` where the call has no such keyword.
    """
    return replace_expression(source, _keyword(call, name).value, value)


def remove_keyword(source: Source, call: ast.Call, name: str) -> Edit:
    """Take the keyword ``name`` out, with its comma; a trailing comma of the call stays.

    A comment behind the keyword on its own line goes with it. Raises ``EditError`` where the call
    has no such keyword.
    """
    keyword = _keyword(call, name)
    require_editable(source, call)
    spans = _argument_spans(source, call)
    own = Span(source.span(keyword).start, outer_span(source, keyword.value).end)
    place = spans.index(own)
    if place + 1 < len(spans):
        return Edit(own.start, _after_comma(source, own.end), 0, "")
    comma = skip_forward(source.text, own.end)
    has_comma = source.text.startswith(",", comma)
    if place == 0:
        end = comma + 1 if has_comma else own.end
        return _emptied(source, call, Span(own.start, end))
    previous = spans[place - 1].end
    gap = source.text[previous : own.start]
    if "#" not in gap:
        return Edit(previous, own.end, 0, "")
    # The last comment of the gap is about the argument before: it stays, and so does that comma.
    end = comma + 1 if has_comma else own.end
    behind = source.text[end : source.line_end(end)].strip()
    if behind and not behind.startswith("#"):
        return Edit(own.start, end, 0, "")  # else the comment would swallow it
    return Edit(previous + len(gap.rstrip()), end, 0, "")


def replace_method(source: Source, call: ast.Call, text: str) -> Edit:
    """``x.cuda(1)`` -> ``x.<text>``; ``x`` and what stands before the name stay as they are.

    Comments between the parentheses stay where ``text`` is a call too and the old call has at most
    one argument. Raises ``EditError`` where that does not hold or the callee is no plain attribute.
    """
    require_editable(source, call, text)
    if not isinstance(call.func, ast.Attribute) or own_parentheses(source, call.func):
        raise EditError("not a method call")
    name_end = source.span(call.func).end
    start = name_end
    while source.text[start - 1] == "_" or source.text[start - 1].isalnum():
        start -= 1
    opening = skip_forward(source.text, name_end)
    span = source.span(call)
    gaps = _gaps(source, call, Span(opening + 1, span.end - 1))
    if any("#" in gap for gap in gaps):
        text = _with_gaps(text, gaps)
    return Edit(start, span.end, 0, text)


def remove_method(source: Source, call: ast.Call) -> Edit:
    """``x.method(…)`` -> ``x``: the last call of a chain goes, with the line break before it.

    Raises ``EditError`` where a comment would be lost, and for ``(x.method)(…)``.
    """
    require_editable(source, call)
    if not isinstance(call.func, ast.Attribute) or own_parentheses(source, call.func):
        raise EditError("not a method call")
    start, end = outer_span(source, call.func.value).end, source.span(call).end
    if "#" in source.text[start:end]:
        raise EditError("a comment would be lost")
    return Edit(start, end, 0, "")


def ungroup_receiver(source: Source, call: ast.Call) -> tuple[Edit, ...]:
    """``y = (a + b).method()`` -> ``y = a + b``: beside `remove_method`, the parentheses that group
    the receiver, where they stand on one line and nothing else needs them."""
    receiver = call.func.value if isinstance(call.func, ast.Attribute) else call
    pairs, inner = own_parentheses(source, receiver), inner_span(source, receiver)
    alone = isinstance(source.parent(call), (ast.Assign, ast.AnnAssign, ast.Return))
    if not alone or len(pairs) != 1 or "\n" in source.text[pairs[0].start : pairs[0].end]:
        return ()
    opening, closing = (pairs[0].start, inner.start), (inner.end, pairs[0].end)
    return Edit(*opening, 0, ""), Edit(*closing, 0, "")


def _after_comma(source: Source, end: int) -> int:
    """Where the next argument, or a comment on a line above it, starts."""
    at = skip_line_forward(source.text, skip_forward(source.text, end) + 1)
    if source.text.startswith("#", at):
        at = source.line_end(at)
    while source.text[at].isspace() or source.text[at] == "\\":
        at += 1
    return at


def _with_gaps(text: str, gaps: list[str]) -> str:
    """Give the only argument of ``text`` the surroundings of the old call's argument."""
    name, _, rest = text.partition("(")
    if len(gaps) > 2 or not rest.endswith(")"):
        raise EditError("comments between the arguments would be lost")
    if len(gaps) == 2:
        return f"{name}({gaps[0]}{rest[:-1]}{gaps[1]})"
    comment = gaps[0].lstrip()
    space = "  " if rest[:-1] and comment.startswith("#") else ""
    return f"{name}({rest[:-1]}{space}{comment})"


def _gaps(source: Source, call: ast.Call, inside: Span) -> list[str]:
    """The text before, between and behind the arguments."""
    gaps = []
    at = inside.start
    for span in _argument_spans(source, call):
        gaps.append(source.text[at : span.start])
        at = span.end
    return [*gaps, source.text[at : inside.end]]


def _argument_spans(source: Source, call: ast.Call) -> list[Span]:
    """The arguments in source order, with the parentheses that group them and their names."""
    if any(is_bare_generator(source, argument) for argument in call.args):
        _refuse_generator()
    spans = [
        source.span(arg) if isinstance(arg, ast.Starred) else outer_span(source, arg)
        for arg in call.args
    ]
    for keyword in call.keywords:
        spans.append(Span(source.span(keyword).start, outer_span(source, keyword.value).end))
    return sorted(spans)


def _refuse_generator() -> NoReturn:
    raise EditError("the generator expression has no parentheses of its own")


def _emptied(source: Source, call: ast.Call, argument: Span) -> Edit:
    """Take out the only argument, and the white space around it where it holds no comment."""
    before = skip_back(source, argument.start)
    after = skip_forward(source.text, argument.end)
    around = source.text[before : argument.start] + source.text[argument.end : after]
    if "#" in around or after != source.span(call).end - 1:
        return Edit(argument.start, argument.end, 0, "")
    return Edit(before, after, 0, "")


def _keyword(call: ast.Call, name: str) -> ast.keyword:
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword
    raise EditError(f"the call has no keyword {name!r}")
