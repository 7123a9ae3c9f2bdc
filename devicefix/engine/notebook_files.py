"""What is done with a changed notebook as a file before it is written."""

from __future__ import annotations

from msgspec.structs import replace

from devicefix.engine.report import Change, FileResult, Outcome
from devicefix.source import NOTEBOOK, SourceError


def finished(outcome: Outcome, clear_outputs: bool) -> Outcome:
    """``outcome`` with the outputs of changed cells cleared, if wanted.

    Raises `SourceError` where nbformat would no longer accept a notebook that it accepted before.
    """
    return replace(outcome, results=tuple(_finished(r, clear_outputs) for r in outcome.results))


def _finished(result: FileResult, clear_outputs: bool) -> FileResult:
    if result.change is None or not result.path.endswith(NOTEBOOK):
        return result
    change = result.change
    if clear_outputs:
        change = replace(change, after=_cleared(change, result.path))
    from devicefix.source.notebooks import is_valid

    if is_valid(change.before) and not is_valid(change.after):
        raise SourceError(
            result.path,
            None,
            "the result would not be a valid notebook; the file is left unchanged",
        )
    return replace(result, change=change)


def _cleared(change: Change, path: str) -> bytes:
    from devicefix.source.notebooks import read_notebook

    before, after = (read_notebook(data, path) for data in (change.before, change.after))
    pairs = zip(before.cells, after.cells, strict=True)
    return after.without_outputs([new.number for old, new in pairs if old.source != new.source])
