"""The one error of this layer: a file that cannot be read, decoded or parsed."""

from __future__ import annotations


class SourceError(Exception):
    """A file is not usable Python source; ``str()`` gives ``path:line: reason``.

    ``line`` is 1-based, or None where the reason concerns the whole file.
    """

    def __init__(self, path: str, line: int | None, reason: str) -> None:
        super().__init__(path, line, reason)
        self.path = path
        self.line = line
        self.reason = reason

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {self.reason}"
