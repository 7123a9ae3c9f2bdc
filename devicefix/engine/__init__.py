"""From paths to a report: find files, analyse them, apply fixes to a fixed point, write, undo.

Importing this loads none of it: each name is looked up when it is asked for
(https://peps.python.org/pep-0562/). A folder without torch needs neither codemods nor the analysis.

In order: `discovery` and `reading` find and scan files, `programs` groups them, `preparing`
converts what does not parse, `settling` applies fix groups in rounds (`groups`, `checks`),
`judging` asks the judge, and `committing` writes (`journal`, `writing`). `undoing` takes it back,
`redoing` applies it again.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from devicefix.engine.choice import Choice, Identity
    from devicefix.engine.committing import commit
    from devicefix.engine.errors import (
        BaselineError,
        EngineError,
        EvidenceFileError,
        GitError,
        JournalError,
        PlaceError,
        RegistryError,
        UncommittedError,
        UnknownRuleError,
    )
    from devicefix.engine.explaining import Asked, Concern, Explained, explain
    from devicefix.engine.redoing import RedoReport, redo, redoable
    from devicefix.engine.remedies import ChangedLines, Remedy, files_of, remedy
    from devicefix.engine.report import (
        AppliedGroup,
        BaselineUse,
        Change,
        FileError,
        FileResult,
        Left,
        Piece,
        Remaining,
        Remains,
        Report,
    )
    from devicefix.engine.runner import Rehearsal, apply, check, rehearsal
    from devicefix.engine.uncommitted import refuse_uncommitted
    from devicefix.engine.undoing import Undoable, UndoReport, recover, undo, undoable
    from devicefix.engine.witnessed import add_evidence, evidence_at

_HOMES: Final = {
    "choice": "Choice Identity",
    "committing": "commit",
    "errors": "BaselineError EngineError EvidenceFileError GitError JournalError "
    "PlaceError RegistryError UncommittedError UnknownRuleError",
    "explaining": "Asked Concern Explained explain",
    "remedies": "ChangedLines Remedy files_of remedy",
    "report": "AppliedGroup BaselineUse Change FileError FileResult Left Piece "
    "Remaining Remains Report",
    "runner": "Rehearsal apply check rehearsal",
    "uncommitted": "refuse_uncommitted",
    "redoing": "RedoReport redo redoable",
    "undoing": "Undoable UndoReport recover undo undoable",
    "witnessed": "add_evidence evidence_at",
}
"""By module the names that others use, each with a space between."""

if not TYPE_CHECKING:  # to a type checker it would be there for any name

    def __getattr__(name: str) -> object:
        for home, names in _HOMES.items():
            if name in names.split():
                return getattr(importlib.import_module(f"{__name__}.{home}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


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
    "EvidenceFileError",
    "Explained",
    "FileError",
    "FileResult",
    "GitError",
    "Identity",
    "JournalError",
    "Left",
    "Piece",
    "PlaceError",
    "RedoReport",
    "RegistryError",
    "Rehearsal",
    "Remaining",
    "Remains",
    "Remedy",
    "Report",
    "UncommittedError",
    "UndoReport",
    "Undoable",
    "UnknownRuleError",
    "add_evidence",
    "apply",
    "check",
    "commit",
    "evidence_at",
    "explain",
    "files_of",
    "recover",
    "redo",
    "redoable",
    "refuse_uncommitted",
    "rehearsal",
    "remedy",
    "undo",
    "undoable",
]
