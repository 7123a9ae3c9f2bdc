"""Tracebacks without our own frames, as they would read if nobody had looked on."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from types import TracebackType
from typing import Final

from devicefix.observe.explanation import Place, place
from devicefix.simulator.places import HOME

_TORCH_DETOUR: Final = "handle_torch_function"
"""torch.overrides: a function of torch written in Python goes through it to a mode and back, and
so stands in the traceback twice.
"""


def without_ours(error: BaseException) -> TracebackType | None:
    """Take our frames out of the tracebacks of ``error`` and all it was raised from.

    Returns what is left of its own.
    """
    for one in chain_of(error):
        one.__traceback__ = _relinked(_program_entries(one.__traceback__))
    return error.__traceback__


def chain_of(error: BaseException) -> list[BaseException]:
    """The exception, its causes and its contexts, each once."""
    found: list[BaseException] = []
    waiting: list[BaseException | None] = [error]
    while waiting:
        one = waiting.pop(0)
        if one is not None and not any(one is other for other in found):
            found.append(one)
            waiting += [one.__cause__, one.__context__]
    return found


def entries(trace: TracebackType | None) -> Iterator[TracebackType]:
    """The entries of a traceback, outermost first."""
    while trace is not None:
        yield trace
        trace = trace.tb_next


def _program_entries(trace: TracebackType | None) -> list[TracebackType]:
    kept: list[TracebackType] = []
    for entry in entries(trace):
        if not entry.tb_frame.f_code.co_filename.startswith(HOME + "/"):
            kept.append(entry)
        elif kept and kept[-1].tb_frame.f_code.co_name == _TORCH_DETOUR:
            del kept[-2:]  # the function that went there comes again below
    return kept


def _relinked(kept: list[TracebackType]) -> TracebackType | None:
    following: TracebackType | None = None
    for entry in reversed(kept):
        entry.tb_next = following
        following = entry
    return following


Span = tuple[int, int, int, int]
"""First line, its column, last line, its column: as the nodes of `ast` have them."""


def spans(error: BaseException) -> tuple[Span | None, ...]:
    """The expression that was running in each line of `places`; None before Python 3.11."""
    return tuple(_span(entry) for entry in _program_entries(error.__traceback__))


def _span(entry: TracebackType) -> Span | None:
    code = entry.tb_frame.f_code
    if not hasattr(code, "co_positions") or entry.tb_lasti < 0:
        return None
    found = next(islice(code.co_positions(), entry.tb_lasti // 2, None), (None,) * 4)
    first, last, column, end = found
    if first is None or last is None or column is None or end is None:
        return None
    return first, column, last, end


def places(error: BaseException) -> tuple[Place, ...]:
    """The lines of an exception's traceback, outermost first, without ours."""
    return tuple(
        place(code.co_filename, entry.tb_lineno, code.co_name)
        for entry in _program_entries(error.__traceback__)
        for code in (entry.tb_frame.f_code,)
    )
