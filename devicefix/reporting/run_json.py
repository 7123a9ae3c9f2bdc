"""A run for programs: one JSON object, version 1. The schema is docs/run.schema.json."""

from __future__ import annotations

import dataclasses
import json
from typing import Any, Final

from devicefix.engine import Remedy
from devicefix.records import (
    Crossing,
    Ending,
    Failure,
    LineWork,
    ModuleWork,
    Operand,
    Place,
    Record,
    Run,
    Storage,
    placement_of,
)

VERSION: Final = 1


def render(run: Run, remedy: Remedy | None) -> str:
    """All that is known of ``run``, and of the fix of its error."""
    placement = placement_of(run.records)
    content = {
        "version": VERSION,
        "command": "run",
        "arguments": list(run.command),
        "python": run.python,
        "device": run.device,
        "ending": _ending(run.ending),
        "error": _failure(run.failure, remedy),
        "work": dict(placement.work),
        "share": placement.share,
        "modules": [_module(module) for module in placement.modules],
        "crossings": [_crossing(crossing) for crossing in placement.crossings],
        "lines": [_line(line) for line in placement.lines],
        "tensors": [_tensor(tensor) for tensor in placement.tensors],
        "processes": [_process(record) for record in run.records],
        "notes": [*placement.notes, *run.notes],
    }
    return json.dumps(content, indent=2)


def _ending(ending: Ending) -> dict[str, Any]:
    return {
        "how": ending.how.value,
        "status": ending.status,
        "signal": ending.signal,
        "seconds": round(ending.seconds, 3),
        "megabytes": ending.megabytes,
    }


def _failure(failure: Failure | None, remedy: Remedy | None) -> dict[str, Any] | None:
    if failure is None:
        return None
    return {
        "type": failure.type,
        "message": failure.message,
        "placement": failure.placement,
        "op": failure.op,
        "at": _place(failure.at),
        "traceback": [dataclasses.asdict(frame) for frame in failure.traceback],
        "operands": [_operand(operand) for operand in failure.operands],
        "advice": failure.advice,
        "remedy": _remedy(remedy),
    }


def _operand(operand: Operand) -> dict[str, Any]:
    return {
        "name": operand.name,
        "variable": operand.variable,
        "device": operand.device,
        "shape": list(operand.shape),
        "dtype": operand.dtype,
        "module": operand.module,
        "how": operand.how or None,
        "created": _place(operand.created),
        "moved": _place(operand.moved),
        "moved_by": operand.moved_by,
    }


def _remedy(remedy: Remedy | None) -> dict[str, Any] | None:
    if remedy is None:
        return None
    return {
        "codes": list(remedy.codes),
        "paths": list(remedy.paths),
        "left": remedy.left,
        "changes": [
            {
                "path": change.path,
                "line": change.line,
                "before": list(change.before),
                "after": list(change.after),
            }
            for change in remedy.changes
        ],
    }


def _place(place: Place | None) -> dict[str, Any] | None:
    return dataclasses.asdict(place) if place is not None else None


def _module(module: ModuleWork) -> dict[str, Any]:
    return {
        "name": module.name,
        "type": module.type,
        "device": module.device,
        "parameters": module.parameters,
        "bytes": module.bytes,
        "work": dict(module.work),
    }


def _crossing(crossing: Crossing) -> dict[str, Any]:
    return {
        "at": _place(crossing.at),
        "source": crossing.source,
        "target": crossing.target,
        "how": crossing.how,
        "count": crossing.count,
        "bytes": crossing.bytes,
    }


def _line(line: LineWork) -> dict[str, Any]:
    return {"at": _place(line.at), "work": dict(line.work)}


def _tensor(tensor: Storage) -> dict[str, Any]:
    return {
        "shape": list(tensor.shape),
        "dtype": tensor.dtype,
        "bytes": tensor.bytes,
        "device": tensor.device,
        "created": _place(tensor.created),
        "moved": _place(tensor.moved),
    }


def _process(record: Record) -> dict[str, Any]:
    return {
        "pid": record.pid,
        "ppid": record.ppid,
        "main": record.main,
        "arguments": list(record.argv),
        "python": record.python,
        "torch": record.torch,
        "status": record.status,
        "refused": record.refused,
    }
