"""Rewrites that codemods share: minimal ranges, so that nested edits compose."""

from devicefix.edits.arguments import (
    conjoin,
    insert_argument,
    name_argument,
    rename_keyword,
    replace_argument,
)
from devicefix.edits.asking import ask_first
from devicefix.edits.buffers import register_buffer_edits, register_modules_edits
from devicefix.edits.calls import (
    remove_keyword,
    remove_method,
    replace_keyword,
    replace_method,
    ungroup_receiver,
)
from devicefix.edits.casts import cast_advice, cast_edits
from devicefix.edits.conditions import only_if, put_below, put_inside, runs
from devicefix.edits.constructors import as_factory, constructor_of, dtype_of
from devicefix.edits.contexts import cuda_question, is_no_device, remove_context, without_cuda
from devicefix.edits.devices import (
    define_device,
    header,
    is_at_hand,
    quoted,
    rebind_edits,
    rebindings,
    transfer_advice,
    transfer_edits,
    transfer_fix,
)
from devicefix.edits.emptied import passing
from devicefix.edits.errors import EditError
from devicefix.edits.expressions import append_call, as_last_argument, replace_expression
from devicefix.edits.generic import generic_form
from devicefix.edits.guards import unguard
from devicefix.edits.hoisting import hoist_statement
from devicefix.edits.imports import (
    import_as,
    import_from,
    import_torch,
    rename_alias,
    without_import,
)
from devicefix.edits.keywords import add_keyword
from devicefix.edits.leaves import (
    require_gradient_later,
    transfer_inside,
    transfer_into_factory,
)
from devicefix.edits.literals import replace_literal
from devicefix.edits.loads import loses_index, names_host, taken_to_cuda
from devicefix.edits.made import made_before, moved
from devicefix.edits.own_checks import own_checks
from devicefix.edits.own_moves import OWN_MOVES, take_device
from devicefix.edits.pinning import pin_if, pins_itself
from devicefix.edits.preamble import insert_after_imports
from devicefix.edits.precision import amp_edits, names_type, respelled
from devicefix.edits.statements import (
    assign_statement,
    insert_after,
    insert_at_body_start,
    insert_before,
    remove_statement,
)
from devicefix.edits.streams import instead, waits
from devicefix.edits.type_tests import ask_for
from devicefix.edits.types import ask_in_choice, name_dtype, question_edits, typed_edits
from devicefix.edits.unwrapping import negate, read_item, statement_of, without_statement
from devicefix.edits.variables import unwrap_all
from devicefix.edits.versions import require

__all__ = [
    "OWN_MOVES",
    "EditError",
    "add_keyword",
    "amp_edits",
    "append_call",
    "as_factory",
    "as_last_argument",
    "ask_first",
    "ask_for",
    "ask_in_choice",
    "assign_statement",
    "cast_advice",
    "cast_edits",
    "conjoin",
    "constructor_of",
    "cuda_question",
    "define_device",
    "dtype_of",
    "generic_form",
    "header",
    "hoist_statement",
    "import_as",
    "import_from",
    "import_torch",
    "insert_after",
    "insert_after_imports",
    "insert_argument",
    "insert_at_body_start",
    "insert_before",
    "instead",
    "is_at_hand",
    "is_no_device",
    "loses_index",
    "made_before",
    "moved",
    "name_argument",
    "name_dtype",
    "names_host",
    "names_type",
    "negate",
    "only_if",
    "own_checks",
    "passing",
    "pin_if",
    "pins_itself",
    "put_below",
    "put_inside",
    "question_edits",
    "quoted",
    "read_item",
    "rebind_edits",
    "rebindings",
    "register_buffer_edits",
    "register_modules_edits",
    "remove_context",
    "remove_keyword",
    "remove_method",
    "remove_statement",
    "rename_alias",
    "rename_keyword",
    "replace_argument",
    "replace_expression",
    "replace_keyword",
    "replace_literal",
    "replace_method",
    "require",
    "require_gradient_later",
    "respelled",
    "runs",
    "statement_of",
    "take_device",
    "taken_to_cuda",
    "transfer_advice",
    "transfer_edits",
    "transfer_fix",
    "transfer_inside",
    "transfer_into_factory",
    "typed_edits",
    "ungroup_receiver",
    "unguard",
    "unwrap_all",
    "waits",
    "without_cuda",
    "without_import",
    "without_statement",
]
