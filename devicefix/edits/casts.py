"""Casts to float32, written before any transfer."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devicefix.edits.errors import EditError
from devicefix.edits.expressions import append_call
from devicefix.findings import Edit

if TYPE_CHECKING:
    from devicefix.flow import DtypeClash, FileFacts
    from devicefix.source import Source

CAST_RANK = 0
"""Before transfers (``TRANSFER_RANK``) that are appended to the same expression."""


def cast_edits(source: Source, facts: FileFacts, clash: DtypeClash) -> tuple[tuple[Edit, ...], int]:
    """``.float()`` where the dtype is born, if that is here and only strict consumers see it.

    Else at the use.

    Returns the edits and the offset that names the decision: operands of one birth share it.
    """
    place: ast.expr = clash.operand
    born_here = clash.born is not None and source.parent(clash.born) is not None
    if isinstance(clash.born, ast.expr) and born_here and _only_clashes(facts, clash.born):
        place = clash.born
    try:
        edits = append_call(source, place, ".float()", CAST_RANK)
    except EditError:
        edits = ()
    return edits, source.span(place).start


def _only_clashes(facts: FileFacts, born: ast.AST) -> bool:
    """Every expression that sees the dtype of ``born`` refuses it."""
    return not facts.dtype_uses.get(born)
