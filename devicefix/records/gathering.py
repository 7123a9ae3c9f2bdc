"""The records that the processes of one run left in their folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from devicefix.records.record import RUNNING, Record, RecordError, read_record

ENTERED: Final = ".entered"
"""Ends the name of the empty file by which a Python process says that it was reached."""
_HOW_LOST: Final = "it was killed, still runs, or ended through os._exit"


@dataclass(frozen=True, slots=True)
class Gathered:
    """What was found in the folder."""

    records: tuple[Record, ...]
    """The process that was started first, then the others by their number."""
    entered: int
    """How many Python processes were reached, those that never import torch included."""
    notes: tuple[str, ...]
    """Which records are not complete or damaged."""


def gather(folder: Path) -> Gathered:
    """All records in ``folder``, however many of them are damaged."""
    records: list[Record] = []
    notes: list[str] = []
    left: set[str] = set()
    for path in sorted(folder.glob("*.json")):
        process = path.name.partition("-")[0]
        left.add(process)
        try:
            records.append(read_record(path.read_text(encoding="utf-8")))
        except (OSError, RecordError) as error:
            notes.append(f"the record of process {process} is damaged: {error}")
    records.sort(key=lambda record: (not record.main, record.pid))
    lost = (record.pid for record in records if record.status == RUNNING)
    notes += (f"process {process} was not recorded to its end: {_HOW_LOST}" for process in lost)
    entered = {path.stem for path in folder.glob(f"*{ENTERED}")} | left
    return Gathered(tuple(records), len(entered), tuple(notes))
