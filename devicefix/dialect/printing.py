"""``print >>file, x``, which Python 3 reads as an expression, and statements that are calls now."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator

from devicefix.dialect.draft import Draft
from devicefix.findings import Span

_WIDTH = 100
_OPENED = re.compile(r"\(\s*(\(\s*)")
_CLOSED = re.compile(r"\s*\)")


def print_to_files(draft: Draft) -> None:
    """``print >>file, a, b`` -> ``print(a, b, file=file)``."""
    for node in draft.walk():
        if isinstance(node, ast.Expr):
            _print(draft, node)


def _print(draft: Draft, node: ast.Expr) -> None:
    whole = node.value
    parts = whole.elts if isinstance(whole, ast.Tuple) and whole.elts else [whole]
    match parts[0]:
        case ast.BinOp(left=ast.Name() as name, op=ast.RShift(), right=file):
            if not draft.scopes.is_builtin(name, "print"):
                return
            source = draft.source
            comma = source.text[: source.span(node).end].rstrip().endswith(",")
            end = ['end=" "'] if comma else []
            texts = [*map(source.segment, parts[1:]), *end, f"file={source.segment(file)}"]
            draft.replace(node, f"print({', '.join(texts)})", "print >>")


def unwrap_printed(draft: Draft) -> None:
    """``print (x),`` is ``print(x, end=" ")``: its brackets were those of no tuple."""
    text = draft.source.text
    for node in draft.walk():
        match node:
            case ast.Call(
                func=ast.Name() as name, args=[one], keywords=[ast.keyword(arg="end")]
            ) if not isinstance(one, (ast.Tuple, ast.Starred)):
                called, printed = draft.source.span(name), draft.source.span(one)
                before = _OPENED.fullmatch(text, called.end, printed.start)
                behind = _CLOSED.match(text, printed.end)
                if before and behind and draft.scopes.is_builtin(name, "print"):
                    change = draft.replace(Span(*before.span(1)), "", "print")
                    draft.replace(Span(printed.end, behind.end()), "", "print", change)


def join_lines(draft: Draft) -> None:
    """``print "a" % \\`` and its next line are one line in the brackets of ``print()``."""
    if "print_function" in draft.features:
        return
    source = draft.source
    for node in draft.walk():
        match node:
            case ast.Call(func=ast.Name(id="print")) if node.lineno != node.end_lineno:
                text, start = source.segment(node), source.span(node).start
                found = list(_breaks(text))
                short = node.col_offset + len(text) - sum(e - a - 1 for a, e in found) <= _WIDTH
                for at, end in found:
                    kept = " " if short else text[at:end].replace("\\", "").lstrip(" \t")
                    draft.replace(Span(start + at, start + end), kept, "print")


def _breaks(text: str) -> Iterator[tuple[int, int]]:
    """Where lines of an expression end with a backslash, between its tokens."""
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    end = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        at = starts[token.start[0] - 1] + token.start[1] if token.string else end
        for found in re.finditer(r"[ \t]*\\\n[ \t]*", text[end:at]):
            yield end + found.start(), end + found.end()
        end = at + len(token.string)
