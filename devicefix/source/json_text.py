"""JSON with the places of its values, so that one can be replaced and all else stay as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, Final

from devicefix.findings import Span

_BLANK: Final = re.compile(r"[ \t\r\n]*")
_ESCAPE: Final = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]",
    re.DOTALL,
)
_DECODER: Final = json.JSONDecoder()


class Reader:
    """Goes through a text of JSON once; raises ``ValueError`` where it is none."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = self._blank(0)

    def members(self) -> Iterator[str]:
        """The keys of the object here. Whoever does not read the value behind one skips it."""
        if not self._opens("{", "}"):
            return
        known: set[str] = set()
        while True:
            if not self.text.startswith('"', self.at):
                raise ValueError(f"a key is missing at character {self.at}")
            key, end = scanstring(self.text, self.at + 1, True)
            self.at = self._blank(end)
            self._take(":")
            if key in known:  # readers differ on which of the two counts
                raise ValueError(f"duplicate key {key!r} in an object")
            known.add(key)
            start = self.at
            yield key
            if self.at == start:
                self.value()
            if self._closes("}"):
                return

    def items(self) -> Iterator[int]:
        """The places of the elements of the array here."""
        if not self._opens("[", "]"):
            return
        while True:
            start = self.at
            yield start
            if self.at == start:
                self.value()
            if self._closes("]"):
                return

    def value(self) -> tuple[Any, Span]:
        """The value here, and where it stands."""
        start = self.at
        value, end = _DECODER.raw_decode(self.text, start)
        self.at = self._blank(end)
        return value, Span(start, end)

    def end(self) -> None:
        """Nothing more may come."""
        if self.at < len(self.text):
            raise ValueError(f"trailing data at character {self.at}")

    @property
    def begins_array(self) -> bool:
        """Whether an array comes next."""
        return self.text.startswith("[", self.at)

    def _opens(self, opening: str, closing: str) -> bool:
        """Enter an object or array; whether there is anything in it."""
        self._take(opening)
        if not self.text.startswith(closing, self.at):
            return True
        self._take(closing)
        return False

    def _closes(self, closing: str) -> bool:
        if self.text.startswith(",", self.at):
            self._take(",")
            return False
        self._take(closing)
        return True

    def _take(self, character: str) -> None:
        if not self.text.startswith(character, self.at):
            raise ValueError(f"{character!r} is missing at character {self.at}")
        self.at = self._blank(self.at + 1)

    def _blank(self, at: int) -> int:
        match = _BLANK.match(self.text, at)
        return match.end() if match else at


class Spelling:
    """How a text spells the characters of its strings, so that new ones look like the old."""

    def __init__(self, text: str) -> None:
        self._ascii = text.isascii() and "\\u" in text
        self._known: dict[str, str] = {}

    def learn(self, literal: str) -> None:
        """Note what is escaped in a string of the text, quotes included, though it need not be."""
        if "\\" in literal:
            for piece in _ESCAPE.findall(literal[1:-1]):
                if piece[0] == "\\":
                    self._known.setdefault(json.loads(f'"{piece}"'), piece)

    def string(self, value: str) -> str:
        """``value`` as a string of JSON."""
        return '"' + "".join(map(self._character, value)) + '"'

    def _character(self, character: str) -> str:
        known = self._known.get(character)
        return known or json.dumps(character, ensure_ascii=self._ascii)[1:-1]
