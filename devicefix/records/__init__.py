"""What a program that ran under observation leaves behind, read and put together.

`devicefix.observe` writes one record for each process; everything here is plain data, and needs
neither torch nor the program.
"""

from __future__ import annotations

from devicefix.records.gathering import Gathered, gather
from devicefix.records.placement import Placement, placement_of
from devicefix.records.record import (
    Ancestor,
    Begun,
    Failure,
    Frame,
    Held,
    LineWork,
    ModuleWork,
    Operand,
    Place,
    Record,
    RecordError,
    Root,
    Storage,
    Transfer,
    Work,
    read_failure,
    read_record,
)
from devicefix.records.run import Ending, How, Run, with_error
from devicefix.records.unsimulated import missing_in

__all__ = [
    "Ancestor",
    "Begun",
    "Ending",
    "Failure",
    "Frame",
    "Gathered",
    "Held",
    "How",
    "LineWork",
    "ModuleWork",
    "Operand",
    "Place",
    "Placement",
    "Record",
    "RecordError",
    "Root",
    "Run",
    "Storage",
    "Transfer",
    "Work",
    "gather",
    "missing_in",
    "placement_of",
    "read_failure",
    "read_record",
    "with_error",
]
