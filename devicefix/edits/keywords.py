"""A new keyword argument, laid out as the call's other arguments are.

libcst rewrites the call alone, so that commas, comments and line breaks are kept; only what it
inserted becomes an edit.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from devicefix.edits import ranks
from devicefix.edits.errors import EditError
from devicefix.edits.expressions import replace_expression
from devicefix.edits.gaps import is_bare_generator, outer_span, require_editable, skip_forward
from devicefix.findings import Edit, Span
from devicefix.source import Source

if TYPE_CHECKING:
    import libcst as cst


def add_keyword(source: Source, call: ast.Call, name: str, value: str) -> Edit:
    """Add ``name=value`` as the last argument, but before any ``**kwargs``.

    One argument per line stays so, trailing commas and comments stay, and ``=`` is spaced as the
    call's other keywords are. ``name=None`` says nothing, and is given the value. Raises
    ``EditError`` where the keyword says something already, ``value`` is no expression, or the call
    cannot be rewritten.
    """
    require_editable(source, call, value)
    there = next((keyword.value for keyword in call.keywords if keyword.arg == name), None)
    if isinstance(there, ast.Constant) and there.value is None:
        return replace_expression(source, there, value)
    if there is not None:
        raise EditError(f"the call already has a keyword {name!r}")
    span = source.span(call)
    if any(is_bare_generator(source, argument) for argument in call.args):
        return _beside_generator(source, call, f"{name}={value}")
    old = source.text[span.start : span.end]
    new = _rewritten(old, name, value)
    if not call.args and not call.keywords:
        return _replacing_parentheses(source, call, new)
    edit = _difference(old, new)
    return Edit(span.start + edit.start, span.start + edit.end, edit.rank, edit.text)


def _rewritten(old: str, name: str, value: str) -> str:
    """The text of a call with the keyword added."""
    import libcst as cst

    # The added parentheses let a call that spans lines stand alone.
    wrapped = f"({old})"
    try:
        module = cst.parse_module(wrapped)
        argument = _argument(name, cst.parse_expression(value))
    except cst.ParserSyntaxError as error:  # as a text it has several lines
        raise EditError(f"libcst cannot read the call: {error.message}") from None
    except cst.CSTValidationError as error:
        raise EditError(f"libcst cannot read the call: {error}") from None
    call = _only_expression(module)
    if not isinstance(call, cst.Call) or module.code != wrapped:
        raise EditError("libcst does not reproduce the call")
    return module.with_deep_changes(call, args=_inserted(call, argument)).code[1:-1]


def _only_expression(module: cst.Module) -> cst.CSTNode | None:
    import libcst as cst

    statement = module.body[0] if module.body else None
    if not isinstance(statement, cst.SimpleStatementLine):
        return None
    expression = statement.body[0]
    return expression.value if isinstance(expression, cst.Expr) else None


def _argument(name: str, value: cst.BaseExpression) -> cst.Arg:
    import libcst as cst

    tight = cst.SimpleWhitespace("")
    equal = cst.AssignEqual(whitespace_before=tight, whitespace_after=tight)
    return cst.Arg(keyword=cst.Name(name), value=value, equal=equal)


def _inserted(call: cst.Call, argument: cst.Arg) -> Sequence[cst.Arg]:
    import libcst as cst

    args = list(call.args)
    spaced = next((a.equal for a in reversed(args) if isinstance(a.equal, cst.AssignEqual)), None)
    argument = argument.with_changes(equal=spaced) if spaced else argument
    if not args:
        return [argument]
    stars = next((i for i, a in enumerate(args) if a.star == "**"), None)
    if stars is not None and all(a.star == "**" for a in args[stars:]):
        comma = cst.Comma(whitespace_after=_separator(call))
        return [*args[:stars], argument.with_changes(comma=comma), *args[stars:]]
    return _appended(call, args, argument)


def _appended(call: cst.Call, args: list[cst.Arg], argument: cst.Arg) -> Sequence[cst.Arg]:
    import libcst as cst

    last = args[-1]
    trailing = last.comma if isinstance(last.comma, cst.Comma) else None
    closing = _closing(last)
    between = _separator(call)
    if isinstance(between, cst.ParenthesizedWhitespace):
        # The comment behind the last argument stays on its line.
        between, closing = _commented(closing, between), _uncommented(closing)
    if trailing:
        kept = last.with_changes(comma=trailing.with_changes(whitespace_after=between))
        new = argument.with_changes(comma=cst.Comma(whitespace_after=closing))
    else:
        comma, empty = cst.Comma(whitespace_after=between), cst.SimpleWhitespace("")
        kept = last.with_changes(comma=comma, whitespace_after_arg=empty)
        new = argument.with_changes(whitespace_after_arg=closing)
    return [*args[:-1], kept, new]


def _closing(last: cst.Arg) -> cst.BaseParenthesizableWhitespace:
    """The white space before the closing parenthesis."""
    import libcst as cst

    return (
        last.comma.whitespace_after
        if isinstance(last.comma, cst.Comma)
        else last.whitespace_after_arg
    )


def _separator(call: cst.Call) -> cst.BaseParenthesizableWhitespace:
    """The white space between two arguments, as the call's author writes it."""
    import libcst as cst

    between = [a.comma.whitespace_after for a in call.args[:-1] if isinstance(a.comma, cst.Comma)]
    if between and all(isinstance(s, cst.ParenthesizedWhitespace) for s in between):
        return _uncommented(between[-1])
    if between:
        plain = [s for s in between if isinstance(s, cst.SimpleWhitespace)]
        return plain[-1] if plain[-1].value in ("", " ") else cst.SimpleWhitespace(" ")
    before = call.whitespace_before_args
    hanging = isinstance(before, cst.ParenthesizedWhitespace)
    if hanging and isinstance(_closing(call.args[-1]), cst.ParenthesizedWhitespace):
        return _uncommented(before)
    return cst.SimpleWhitespace(" ")


def _uncommented(
    space: cst.BaseParenthesizableWhitespace,
) -> cst.BaseParenthesizableWhitespace:
    """The same line break and indentation, without comments and empty lines."""
    import libcst as cst

    if not isinstance(space, cst.ParenthesizedWhitespace):
        return space
    bare = space.first_line.with_changes(whitespace=cst.SimpleWhitespace(""), comment=None)
    return space.with_changes(first_line=bare, empty_lines=())


def _commented(
    closing: cst.BaseParenthesizableWhitespace, between: cst.ParenthesizedWhitespace
) -> cst.BaseParenthesizableWhitespace:
    """The comments of ``closing``, then the line break and the indentation of ``between``."""
    import libcst as cst

    if not isinstance(closing, cst.ParenthesizedWhitespace):
        return between
    return closing.with_changes(indent=between.indent, last_line=between.last_line)


def _replacing_parentheses(source: Source, call: ast.Call, new: str) -> Edit:
    """Replace ``()`` as a whole: a second keyword must not be inserted into it in one round."""
    span = source.span(call)
    start = skip_forward(source.text, outer_span(source, call.func).end)
    return Edit(start, span.end, 0, new[start - span.start :])


def _beside_generator(source: Source, call: ast.Call, argument: str) -> Edit:
    """``f(x for x in y)`` -> ``f((x for x in y), argument)``."""
    span: Span = source.span(call.args[0])
    generator = source.text[span.start : span.end]
    return Edit(span.start, span.end, 0, f"({generator}, {argument})")


def _difference(old: str, new: str) -> Edit:
    """The one change that makes ``new`` of ``old``: an insertion, unless a comment stands between.

    A comment behind a last argument without a comma is replaced by itself: the comma goes before
    it, the new argument behind it.
    """
    start = _common_prefix(old, new)
    rest = min(len(old), len(new)) - start
    end = min(_common_prefix(old[::-1], new[::-1]), rest)
    return Edit(start, len(old) - end, ranks.KEYWORD, new[start : len(new) - end])


def _common_prefix(one: str, other: str) -> int:
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
