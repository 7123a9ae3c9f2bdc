"""The questions of the judge, one file each; `ALL` has them in the order of asking."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from devicefix.judge.checks import (
    answered,
    branches,
    buffers,
    callers,
    conditions,
    copies,
    devices,
    draws,
    flags,
    gradients,
    kinds,
    needs,
    places,
    questions,
    receivers,
    signatures,
    uses,
    versions,
)
from devicefix.judge.comparison import Comparison, Objection

Check = Callable[[Comparison], Iterator[Objection]]

ALL: Final[dict[str, Check]] = {
    check.NAME: check.objections
    for check in (
        devices,
        signatures,
        flags,
        branches,
        gradients,
        buffers,
        kinds,
        receivers,
        copies,
        places,
        conditions,
        uses,
        draws,
        callers,
        questions,
        answered,
        needs,
        versions,
    )
}
"""By name."""
