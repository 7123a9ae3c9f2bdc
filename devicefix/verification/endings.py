"""How a run ended, as far as it matters to a comparison."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from devicefix.records import How, Place, missing_in
from devicefix.verification.execution import Execution

_ENDED: Final = frozenset({How.TIMEOUT, How.MEMORY})
_TRACEBACK: Final = '\n  File "'
"""In what Python writes about an exception that nothing caught."""


def is_cut_short(execution: Execution) -> bool:
    """Whether the bounds ended the run."""
    return execution.ending.how in _ENDED


def has_raised(execution: Execution) -> bool:
    """Whether an exception ended the run: one that was recorded, or that Python tells of.

    What goes wrong before torch is imported, as a text that does not parse, is not recorded.
    """
    if is_cut_short(execution):
        return False
    if execution.failure is not None:
        return True
    return execution.ending.status == 1 and _TRACEBACK in f"\n{execution.errors}"


def last_words(execution: Execution) -> str:
    """One line that says why the run ended as it did; empty where there is none."""
    failure = execution.failure
    if failure is not None and not is_cut_short(execution):
        return f"{failure.type}: {failure.message.partition(chr(10))[0]}"
    if execution.ending.status == 0:
        return ""
    lines = [line.strip() for line in execution.errors.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def ends_alike(one: Execution, other: Execution, roots: tuple[Path, Path]) -> bool:
    """Whether the same exception ends both at the same line, which may have another number.

    ``roots`` are those of the trees that the two ran from.
    """
    first, second = one.failure, other.failure
    if first is None or second is None or first.type != second.type:
        return False
    of_placement = first.placement and second.placement  # these name the tensor that is met first
    if not of_placement and first.message != second.message:
        return False
    if first.at is None or second.at is None:
        return first.at is second.at
    if _spot(first.at, roots[0]) != _spot(second.at, roots[1]):
        return False
    return first.at.line == second.at.line or first.at.text == second.at.text


def _spot(place: Place, root: Path) -> tuple[str, str]:
    """File and function, the file as seen from ``root``."""
    return os.path.relpath(place.file, root), place.function


def unsimulated(execution: Execution) -> str:
    """What ended a run although a GPU has it, in a sentence; empty where nothing of that kind."""
    if not has_raised(execution):
        return ""
    failure = execution.failure
    return missing_in(failure.message if failure is not None else execution.errors)


def obstacle(execution: Execution) -> str | None:
    """Why nothing can be said of a run; None where it can be held against others."""
    refused = next((r.refused for r in execution.records if r.refused is not None), None)
    if refused is not None:
        return refused
    lacks = unsimulated(execution)
    if lacks:
        return lacks
    strangers = [file for events in execution.observed for file in events.strangers]
    if strangers:
        return f"{strangers[0]} was imported from the tree itself and not from its copy"
    if is_cut_short(execution) and not any(events.events for events in execution.observed):
        return "it was stopped (--timeout or --memory) before anything was observed"
    return None


def is_sound(execution: Execution) -> bool:
    """Whether others can be held against a run: it came to its own end, or to that of its time."""
    if obstacle(execution) is not None or has_raised(execution):
        return False
    return execution.ending.how in {How.EXITED, How.TIMEOUT}
