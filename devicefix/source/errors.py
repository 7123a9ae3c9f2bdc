"""The errors of this layer: a file that cannot be read, decoded or parsed."""

from __future__ import annotations

from devicefix.findings import place_text


class SourceError(Exception):
    """A file is not usable Python source; ``str()`` gives ``path:line: reason``.

    ``line`` is 1-based, or None where the reason concerns the whole file; in a notebook it is one
    of the ``cell``.
    """

    def __init__(self, path: str, line: int | None, reason: str, cell: int | None = None) -> None:
        super().__init__(path, line, reason, cell)
        self.path = path
        self.line = line
        self.reason = reason
        self.cell = cell

    def __str__(self) -> str:
        return f"{place_text(self.path, self.line, cell=self.cell)}: {self.reason}"


class NotPythonError(SourceError):
    """A notebook for another kernel: nothing is wrong with it, and it is none of our business."""


class TooDeepError(SourceError):
    """Python's own parser gives up: no other grammar makes the file less deep."""
