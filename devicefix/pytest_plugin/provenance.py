"""What a failure says of the tensors that were in the wrong place."""

from __future__ import annotations

from devicefix.observe import explain
from devicefix.records import read_failure
from devicefix.reporting.placement_error import describe_placement_error


def provenance(error: BaseException) -> str | None:
    """Which operands ``error`` is about, where they came from, and what to change.

    None if neither it nor what it was raised from is about placement.
    """
    explanation = explain(error)
    if explanation is None:
        return None
    return describe_placement_error(read_failure(explanation.entry()))
