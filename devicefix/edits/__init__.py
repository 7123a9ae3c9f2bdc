"""Rewrites that codemods share: minimal ranges, so that nested edits compose."""

from devicefix.edits.buffers import register_buffer_edits
from devicefix.edits.calls import remove_keyword, replace_keyword, replace_method
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
from devicefix.edits.errors import EditError
from devicefix.edits.expressions import append_call, replace_expression
from devicefix.edits.guards import unguard
from devicefix.edits.keywords import add_keyword
from devicefix.edits.preamble import insert_after_imports
from devicefix.edits.statements import (
    assign_statement,
    insert_after,
    insert_at_body_start,
    insert_before,
)

__all__ = [
    "EditError",
    "add_keyword",
    "append_call",
    "assign_statement",
    "cast_edits",
    "define_device",
    "header",
    "insert_after",
    "insert_after_imports",
    "insert_at_body_start",
    "insert_before",
    "rebind_edits",
    "rebindings",
    "register_buffer_edits",
    "remove_keyword",
    "replace_expression",
    "replace_keyword",
    "replace_method",
    "transfer_advice",
    "transfer_edits",
    "transfer_fix",
    "unguard",
]
