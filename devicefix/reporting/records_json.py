"""What was recorded of a run, as JSON: the parts that several reports share."""

from __future__ import annotations

import dataclasses
from typing import Any

from devicefix.records import (
    Ending,
    Failure,
    LineWork,
    ModuleWork,
    Operand,
    Place,
    Transfer,
)


def ending_of(ending: Ending) -> dict[str, Any]:
    """How a program ended."""
    return {
        "how": ending.how.value,
        "status": ending.status,
        "signal": ending.signal,
        "seconds": round(ending.seconds, 3),
        "megabytes": ending.megabytes,
    }


def failure_of(failure: Failure) -> dict[str, Any]:
    """The exception that ended a program."""
    return {
        "type": failure.type,
        "message": failure.message,
        "placement": failure.placement,
        "op": failure.op,
        "at": place_of(failure.at),
        "traceback": [dataclasses.asdict(frame) for frame in failure.traceback],
        "operands": [operand_of(operand) for operand in failure.operands],
        "advice": failure.advice,
    }


def operand_of(operand: Operand) -> dict[str, Any]:
    """One tensor of an operation that failed."""
    return {
        "name": operand.name,
        "variable": operand.variable,
        "device": operand.device,
        "shape": list(operand.shape),
        "dtype": operand.dtype,
        "module": operand.module,
        "how": operand.how or None,
        "created": place_of(operand.created),
        "moved": place_of(operand.moved),
        "moved_by": operand.moved_by,
    }


def place_of(place: Place | None) -> dict[str, Any] | None:
    """A line of the program; null where nobody saw."""
    return dataclasses.asdict(place) if place is not None else None


def module_of(module: ModuleWork) -> dict[str, Any]:
    """One module."""
    return {
        "name": module.name,
        "type": module.type,
        "device": module.device,
        "parameters": module.parameters,
        "bytes": module.bytes,
        "work": dict(module.work),
    }


def transfer_of(transfer: Transfer) -> dict[str, Any]:
    """The copies that one line made."""
    return {
        "at": place_of(transfer.at),
        "source": transfer.source,
        "target": transfer.target,
        "how": transfer.how,
        "count": transfer.count,
        "bytes": transfer.bytes,
    }


def line_of(line: LineWork) -> dict[str, Any]:
    """The arithmetic of one line."""
    return {"at": place_of(line.at), "work": dict(line.work)}
