"""Transfers that go inside: before a tensor becomes a leaf, not behind it."""

from __future__ import annotations

import ast

from devicefix.edits.calls import remove_keyword, remove_method
from devicefix.edits.devices import TRANSFER_RANK
from devicefix.edits.expressions import append_call
from devicefix.edits.keywords import add_keyword
from devicefix.findings import Edit
from devicefix.source import Source


def transfer_inside(source: Source, call: ast.Call, inner: ast.expr) -> tuple[Edit, ...]:
    """``f(x).to(d)`` -> ``f(x.to(d))``: the transfer goes behind ``inner`` as it is written.

    Raises ``EditError`` where a comment stands in it or ``inner`` cannot take it.
    """
    gone = remove_method(source, call)
    text = source.text[gone.start : gone.end].strip()
    return (gone, *append_call(source, inner, text, TRANSFER_RANK))


def transfer_into_factory(
    source: Source, call: ast.Call, made: ast.Call, device: str
) -> tuple[Edit, ...]:
    """``zeros(n, requires_grad=True).to(d)`` -> ``zeros(n, requires_grad=True, device=d)``.

    Raises ``EditError`` as above, and where the factory names a device already.
    """
    return (remove_method(source, call), add_keyword(source, made, "device", device))


def require_gradient_later(source: Source, call: ast.Call, made: ast.Call) -> tuple[Edit, ...]:
    """``f(n, requires_grad=True).to(d)`` -> ``f(n).to(d).requires_grad_()``.

    Raises ``EditError`` where ``made`` has no such keyword.
    """
    later = append_call(source, call, ".requires_grad_()", TRANSFER_RANK)
    return (remove_keyword(source, made, "requires_grad"), *later)
