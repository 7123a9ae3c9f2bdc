"""Statements that need an accelerator, below the question whether there is one."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from devicefix.edits.conditions import put_below
from devicefix.edits.contexts import cuda_question
from devicefix.edits.expressions import replace_expression
from devicefix.findings import Edit
from devicefix.flow.imported import dotted, origins
from devicefix.source import Source
from devicefix.torch_api import canonical, is_there

if TYPE_CHECKING:
    from devicefix.flow import FileFacts, LibraryCall
    from devicefix.oldest_torch import OldestTorch

_WAIT: Final = "torch.cuda.synchronize"
_WAIT_FOR_ANY: Final = "torch.accelerator.synchronize"


def ask_first(
    source: Source,
    facts: FileFacts,
    oldest: OldestTorch,
    calls: Sequence[LibraryCall],
    statements: Sequence[ast.stmt],
) -> tuple[tuple[Edit, ...], ...]:
    """Put statements that follow each other below one question; the edits of each.

    Where the ``oldest`` torch of the program has ``torch.accelerator``, waiting becomes the same on
    all accelerators.
    Raises ``EditError`` where the file cannot ask, or a statement shares its line with another one.
    """
    new = facts.torch and is_there(_WAIT_FOR_ANY, oldest.version)
    if not new or not all(_waits_for_all(source, found) for found in calls):
        return put_below(source, statements, cuda_question(source, facts, calls[0]))
    made = put_below(source, statements, f"{facts.torch}.accelerator.is_available()")
    text = f"{facts.torch}{_WAIT_FOR_ANY.removeprefix('torch')}"
    return tuple(
        (replace_expression(source, found.call.func, text), *edits)
        for found, edits in zip(calls, made, strict=True)
    )


def _waits_for_all(source: Source, found: LibraryCall) -> bool:
    """``torch.cuda.synchronize()`` by its own name, with no index of one of several."""
    named = canonical(dotted(found.call.func, source.once(origins))) == _WAIT
    return named and not (found.call.args or found.call.keywords)
