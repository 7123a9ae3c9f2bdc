"""Casts to float32, written before any transfer."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devicefix.edits.errors import EditError
from devicefix.edits.expressions import append_call
from devicefix.edits.keywords import add_keyword
from devicefix.findings import Edit

if TYPE_CHECKING:
    from devicefix.flow import DtypeClash, FileFacts
    from devicefix.source import Source

CAST_RANK = 0
"""Before transfers (``TRANSFER_RANK``) that are appended to the same expression."""


def cast_edits(source: Source, facts: FileFacts, clash: DtypeClash) -> tuple[tuple[Edit, ...], int]:
    """``.float()`` where the dtype is born, if that is here and only strict consumers see it.

    Else at the use.

    Returns the edits and the offset that names the decision: operands of one birth share it. There
    are no edits where the author asks for the dtype: it is a purpose, or a contradiction.
    """
    place: ast.expr = clash.operand
    if clash.on_purpose:
        return (), source.span(place).start
    born_here = clash.born is not None and source.parent(clash.born) is not None
    if isinstance(clash.born, ast.expr) and born_here and _only_clashes(facts, clash.born):
        place = clash.born
    try:
        edits = _cast(source, facts, clash, place)
    except EditError:
        edits = ()
    return edits, source.span(place).start


def _cast(source: Source, facts: FileFacts, clash: DtypeClash, place: ast.expr) -> tuple[Edit, ...]:
    """``.float()``, or ``dtype=`` on a call that makes its tensor on the device at once."""
    if clash.keyword and place is clash.born and facts.torch and isinstance(place, ast.Call):
        moved = any(t.keyword and t.tree is place for t in facts.transfers)
        if moved or any(keyword.arg == "device" for keyword in place.keywords):
            return (add_keyword(source, place, "dtype", f"{facts.torch}.float32"),)
    return append_call(source, place, ".float()", CAST_RANK)


def cast_advice(clash: DtypeClash) -> str:
    """What a person has to decide where the author asks for the dtype that clashes, or a caller
    hands it in."""
    if clash.handed and not clash.on_purpose:
        return f"callers may pass another dtype: it is {clash.found} because of {clash.handed}"
    if not clash.on_purpose:
        return ""
    return f"the program requests {clash.found} explicitly: change one of the two"


def _only_clashes(facts: FileFacts, born: ast.AST) -> bool:
    """Every expression that sees the dtype of ``born`` refuses it."""
    return not facts.dtype_uses.get(born)
