"""Where a program asks for pinned memory, which there is beside an accelerator only."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from devicefix.flow.analysis import Analysis
from devicefix.flow.cuda_guards import asks
from devicefix.flow.values import FileRecord, Tensor, Value
from devicefix.source import Source
from devicefix.torch_api import FACTORIES, LIKE

_PINS: Final = "pin_memory"
_ERROR: Final = "RuntimeError"
"""What pinning raises where there is no accelerator."""


def pinned(analysis: Analysis, file: FileRecord) -> tuple[ast.expr, ...]:
    """The calls of ``x.pin_memory()`` on what surely is a tensor, and each True of a factory's
    ``pin_memory=True``, that no condition around them asks for CUDA; in the order of the text."""
    return tuple(tree for tree in _pinning(analysis, file) if not asks(analysis, tree, _ERROR))


def _pinning(analysis: Analysis, file: FileRecord) -> Iterator[ast.expr]:
    for call in file.source.once(_calls):
        if isinstance(call.func, ast.Attribute) and call.func.attr == _PINS:
            seen = [receiver for receiver, _, _ in analysis.seen.transfers.get(call, ())]
            own = analysis.seen.callees.get(call, set()) - {None}
            if seen and not own and all(map(_is_tensor, seen)):
                yield call
        names = analysis.seen.calls.get(call, ())
        if names and all(name in FACTORIES or name in LIKE for name in names):
            yield from (k.value for k in call.keywords if _asks_for_pinned(k))


def _calls(source: Source) -> tuple[ast.Call, ...]:
    """The calls of a file that pins memory, in the order of the text."""
    calls = source.of_type(ast.Call) if _PINS in source.text else ()
    return tuple(sorted(calls, key=lambda call: source.span(call).end))


def _is_tensor(value: Value) -> bool:
    return isinstance(value, Tensor) and value.certain and value.maybe != "other"


def _asks_for_pinned(keyword: ast.keyword) -> bool:
    given = keyword.value
    return keyword.arg == _PINS and isinstance(given, ast.Constant) and given.value is True
