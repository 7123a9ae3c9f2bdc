"""Findings: told apart by where they come from, kept with the smallest input of each."""

from __future__ import annotations

import hashlib
import re
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from fuzz.target import ViolationError

_VARYING: Final = re.compile(r"'[^']*'|\"[^\"]*\"|[0-9]+")


@dataclass(frozen=True, slots=True)
class Signature:
    """What two failures have in common that are the same one."""

    kind: str
    place: str
    """The function of ours in which it came up; of a violation, what does not hold."""

    @classmethod
    def of(cls, error: BaseException) -> Signature:
        """That of ``error``."""
        kind = type(error).__name__
        if isinstance(error, ViolationError):
            return cls(kind, _VARYING.sub("…", str(error))[:200])
        frames = traceback.extract_tb(error.__traceback__)
        own = [f for f in frames if "/devicefix/" in f.filename or "/codemods/" in f.filename]
        last = (own or list(frames))[-1]
        return cls(kind, f"{Path(last.filename).name}:{last.name}")

    def __str__(self) -> str:
        return f"{self.kind} in {self.place}"

    @property
    def name(self) -> str:
        """A name for files."""
        return hashlib.blake2b(str(self).encode(), digest_size=6).hexdigest()


class Findings:
    """Those of one target, in a folder: the input, and beside it what it leads to."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._smallest = {path.stem: path.stat().st_size for path in folder.glob("*.input")}

    def note(self, error: BaseException, data: bytes) -> bool:
        """Keep ``data`` where it is the smallest that leads to ``error``; whether it is new."""
        signature = Signature.of(error)
        known = self._smallest.get(signature.name)
        if known is None or len(data) < known:
            self._smallest[signature.name] = len(data)
            story = "".join(traceback.format_exception(error))
            (self._folder / f"{signature.name}.input").write_bytes(data)
            told = f"{signature}\n\n{story[-8_000:]}"
            (self._folder / f"{signature.name}.txt").write_text(told, "utf-8", "replace")
        return known is None
