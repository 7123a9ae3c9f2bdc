"""The records that the processes of one run left in their folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from devicefix.records.record import Record, RecordError, read_record

ENTERED: Final = ".entered"
"""Ends the name of the empty file by which a Python process says that it was reached."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """What was found in the folder."""

    records: tuple[Record, ...]
    """The process that was started first, then the others by their number."""
    entered: int
    """How many Python processes were reached, those that never import torch included."""
    notes: tuple[str, ...]
    """What could not be read."""


def gather(folder: Path) -> Gathered:
    """All records in ``folder``, however many of them are damaged."""
    records: list[Record] = []
    notes: list[str] = []
    for path in sorted(folder.glob("*.json")):
        try:
            records.append(read_record(path.read_text(encoding="utf-8")))
        except (OSError, RecordError) as error:
            notes.append(f"the record of process {path.name.partition('-')[0]} is damaged: {error}")
    records.sort(key=lambda record: (not record.main, record.pid))
    entered = sum(1 for _ in folder.glob(f"*{ENTERED}"))
    return Gathered(tuple(records), max(entered, len(records) + len(notes)), tuple(notes))
