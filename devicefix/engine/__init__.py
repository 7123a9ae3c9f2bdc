"""From paths to a report: find files, analyse them, apply fixes to a fixed point, write, undo.

Importing this loads neither codemods nor the analysis: a folder without torch needs neither.
"""

from __future__ import annotations

from devicefix.engine.errors import (
    EngineError,
    JournalError,
    PlaceError,
    RegistryError,
    UnknownRuleError,
)
from devicefix.engine.explaining import Concern, Explained, explain
from devicefix.engine.journal import UndoReport, undo
from devicefix.engine.remedies import ChangedLines, Remedy, files_of, remedy
from devicefix.engine.report import Change, FileError, FileResult, Left, Report
from devicefix.engine.runner import apply, check

__all__ = [
    "Change",
    "ChangedLines",
    "Concern",
    "EngineError",
    "Explained",
    "FileError",
    "FileResult",
    "JournalError",
    "Left",
    "PlaceError",
    "RegistryError",
    "Remedy",
    "Report",
    "UndoReport",
    "UnknownRuleError",
    "apply",
    "check",
    "explain",
    "files_of",
    "remedy",
    "undo",
]
