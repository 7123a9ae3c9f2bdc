"""A run for programs: one JSON object, version 1. The schema is docs/run.schema.json."""

from __future__ import annotations

import json
from typing import Any, Final

from devicefix.engine import Remedy
from devicefix.records import Failure, Record, Run, Storage, placement_of
from devicefix.reporting.records_json import (
    ending_of,
    failure_of,
    line_of,
    module_of,
    place_of,
    transfer_of,
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
        "ending": ending_of(run.ending),
        "error": _error(run.failure, remedy),
        "work": dict(placement.work),
        "share": placement.share,
        "modules": [module_of(module) for module in placement.modules],
        "transfers": [transfer_of(transfer) for transfer in placement.transfers],
        "lines": [line_of(line) for line in placement.lines],
        "tensors": [_tensor(tensor) for tensor in placement.tensors],
        "processes": [_process(record) for record in run.records],
        "notes": [*placement.notes, *run.notes],
    }
    return json.dumps(content, indent=2)


def _error(failure: Failure | None, remedy: Remedy | None) -> dict[str, Any] | None:
    return None if failure is None else {**failure_of(failure), "remedy": _remedy(remedy)}


def _remedy(remedy: Remedy | None) -> dict[str, Any] | None:
    if remedy is None:
        return None
    return {
        "codes": list(remedy.codes),
        "paths": list(remedy.paths),
        "left": remedy.left,
        "helps": remedy.helps,
        "changes": [
            {
                "path": change.path,
                "line": change.line,
                **({} if change.cell is None else {"cell": change.cell}),
                "before": list(change.before),
                "after": list(change.after),
            }
            for change in remedy.changes
        ],
    }


def _tensor(tensor: Storage) -> dict[str, Any]:
    return {
        "shape": list(tensor.shape),
        "dtype": tensor.dtype,
        "bytes": tensor.bytes,
        "device": tensor.device,
        "created": place_of(tensor.created),
        "moved": place_of(tensor.moved),
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
