"""From paths to a report: find files, analyse them, apply fixes to a fixed point, write, undo.

Importing this loads neither codemods nor the analysis: a folder without torch needs neither.
"""

from __future__ import annotations

from devicefix.engine.choice import Choice, Identity
from devicefix.engine.commit import commit
from devicefix.engine.errors import (
    BaselineError,
    EngineError,
    GitError,
    JournalError,
    PlaceError,
    RegistryError,
    UncommittedError,
    UnknownRuleError,
)
from devicefix.engine.explaining import Asked, Concern, Explained, explain
from devicefix.engine.remedies import ChangedLines, Remedy, files_of, remedy
from devicefix.engine.report import (
    AppliedGroup,
    BaselineUse,
    Change,
    FileError,
    FileResult,
    Left,
    Piece,
    Report,
)
from devicefix.engine.runner import Rehearsal, apply, check, rehearsal
from devicefix.engine.uncommitted import refuse_uncommitted
from devicefix.engine.undoing import UndoReport, recover, undo

__all__ = [
    "AppliedGroup",
    "Asked",
    "BaselineError",
    "BaselineUse",
    "Change",
    "ChangedLines",
    "Choice",
    "Concern",
    "EngineError",
    "Explained",
    "FileError",
    "FileResult",
    "GitError",
    "Identity",
    "JournalError",
    "Left",
    "Piece",
    "PlaceError",
    "RegistryError",
    "Rehearsal",
    "Remedy",
    "Report",
    "UncommittedError",
    "UndoReport",
    "UnknownRuleError",
    "apply",
    "check",
    "commit",
    "explain",
    "files_of",
    "recover",
    "refuse_uncommitted",
    "rehearsal",
    "remedy",
    "undo",
]
