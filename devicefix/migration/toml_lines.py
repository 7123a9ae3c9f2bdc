"""On which line of a TOML file something is said; its parser keeps no positions."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

_HEADER: Final = re.compile(r"\s*(\[\[?)\s*([\w.\-\"']+)\s*\]\]?")
_KEY: Final = re.compile(r"\s*[\"']?([\w-]+)[\"']?\s*=")


@dataclass
class Lines:
    """The lines of tables and keys. A multi-line string that looks like either misleads it."""

    text: str
    _known: dict[tuple[str, int, str], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        table, number, counts = "", 0, dict[str, int]()
        for line, text in enumerate(self.text.split("\n"), 1):
            header, key = _HEADER.match(text), _KEY.match(text)
            if header is not None:
                table = header[2]
                number = counts.get(table, 0)
                counts[table] = number + 1
                self._known.setdefault((table, number, ""), line)
            elif key is not None:
                self._known.setdefault((table, number, key[1]), line)

    def of(self, table: str, number: int = 0, key: str = "") -> int | None:
        """The line of a key in the ``number``-th table of that name, or of the table itself."""
        found = self._known.get((table, number, key))
        return found if found is not None or not key else self._known.get((table, number, ""))
