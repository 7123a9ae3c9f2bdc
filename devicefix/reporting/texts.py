"""The texts that findings and edits have their places in."""

from __future__ import annotations

from pathlib import Path

from devicefix.engine import Left
from devicefix.findings import Finding
from devicefix.reporting.account import Account
from devicefix.source import Source, SourceError


class Texts:
    """Those of one run, read when they are asked for.

    What `apply` left has its places in the files as it made them, all else in the files as they
    were; a mere rehearsal, and a run that wrote nothing, know only these (`Report.unwritten`).
    """

    def __init__(self, account: Account) -> None:
        self._account = account
        self._changes = {result.path: change for result, change in account.report.changes}
        self._known: dict[tuple[str, bool], Source | None] = {}

    def is_new(self, left: Left | None) -> bool:
        """Whether the place of a finding is one in the files as `apply` made them."""
        return left is not None and not self._account.proposes

    def source(self, path: str, new: bool) -> Source | None:
        """The file as it was, or ``new``; None where it is not to be had."""
        key = path, new and path in self._changes
        if key not in self._known:
            self._known[key] = self._read(*key)
        return self._known[key]

    def of(self, finding: Finding, left: Left | None) -> Source | None:
        """The text in which ``finding`` has its place; None where it is another one by now."""
        source = self.source(finding.path, self.is_new(left))
        if source is None or not finding.span.start <= finding.span.end <= len(source.text):
            return None
        place = source.place(finding.span.start)
        known = finding.line, finding.column, finding.cell
        return source if (place.line, place.column, place.cell) == known else None

    def data(self, path: str, new: bool) -> bytes | None:
        """The bytes of the same."""
        if path in self._changes:
            change = self._changes[path]
            return change.after if new else change.before
        if path in self._account.texts:
            return self._account.texts[path]
        try:
            return Path(path).read_bytes()
        except (OSError, ValueError):
            return None

    def _read(self, path: str, new: bool) -> Source | None:
        data = self.data(path, new)
        try:
            return Source.from_bytes(data, path) if data is not None else None
        except SourceError:
            return None
