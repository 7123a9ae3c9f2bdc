"""Rewrites that codemods share: minimal ranges, so that nested edits compose."""

from devicefix.edits.calls import add_keyword, replace_method
from devicefix.edits.casts import cast_edits
from devicefix.edits.devices import (
    define_device,
    header,
    rebind_edits,
    rebindings,
    transfer_advice,
    transfer_edits,
    transfer_fix,
)
from devicefix.edits.expressions import append_call, replace_expression
from devicefix.edits.statements import (
    assign_statement,
    insert_after,
    insert_after_imports,
    insert_at_body_start,
    unguard,
)

__all__ = [
    "add_keyword",
    "append_call",
    "assign_statement",
    "cast_edits",
    "define_device",
    "header",
    "insert_after",
    "insert_after_imports",
    "insert_at_body_start",
    "rebind_edits",
    "rebindings",
    "replace_expression",
    "replace_method",
    "transfer_advice",
    "transfer_edits",
    "transfer_fix",
    "unguard",
]
