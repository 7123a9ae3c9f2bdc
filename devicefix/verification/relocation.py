"""Paths of a tree that become paths of its copy, and back."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_SEPARATORS: Final = re.compile(r"([=:,;]|\s+)")
"""What may stand before or after a path in an argument, or in a variable of the environment."""


@dataclass(frozen=True, slots=True)
class Relocation:
    """A tree whose program runs in a copy of it."""

    original: Path
    """The root of the tree that is copied there now."""
    scratch: Path
    """The copy."""
    named: Path
    """The tree by whose name the copy goes in what is printed, whatever is copied there."""
    others: tuple[Path, ...] = ()
    """Roots of other states of the program."""

    @property
    def variable(self) -> str:
        """For the program: the roots of trees that are not to be used, and the copy."""
        return os.pathsep.join((*map(str, self._roots), str(self.scratch)))

    @property
    def _roots(self) -> tuple[Path, ...]:
        return tuple(dict.fromkeys((self.original, self.named, *self.others)))

    def moved(self, text: str) -> str:
        """``text`` with paths of the trees replaced by those of the copy.

        Not where the copy lacks what the tree has, such as a virtual environment.
        """
        parts = _SEPARATORS.split(text)
        return "".join(map(self._moved_path, parts))

    def _moved_path(self, text: str) -> str:
        if text.startswith(f"{self.scratch}{os.sep}"):  # it may lie in the tree itself
            return text
        for root in self._roots:
            if text == str(root) or text.startswith(f"{root}{os.sep}"):
                there = f"{self.scratch}{text[len(str(root)) :]}"
                return there if _is_fit(Path(there), Path(text)) else text
        return text

    def text(self, written: bytes) -> bytes:
        """What a program wrote, with the tree's own name."""
        return written.replace(os.fsencode(self.scratch), os.fsencode(self.named))

    def records(self, content: bytes) -> bytes:
        """A record or events in JSON: places name the tree that was run, texts the name of all."""
        for dumped in _dumped(self.scratch):
            place = rb'("file":\s*"|"at":\s*\[")' + re.escape(dumped)
            content = re.sub(place, _behind(_dumped(self.original)[0]), content)
            content = content.replace(dumped, _dumped(self.named)[0])
        return content


def _behind(path: bytes) -> Callable[[re.Match[bytes]], bytes]:
    return lambda found: found[1] + path


def _dumped(path: Path) -> tuple[bytes, bytes]:
    """As JSON has it, in ASCII and without that restriction."""
    ascii_only = json.dumps(str(path))[1:-1].encode()
    full = json.dumps(str(path), ensure_ascii=False)[1:-1]
    return ascii_only, full.encode("utf-8", "surrogateescape")


def _is_fit(there: Path, here: Path) -> bool:
    """Whether a program finds in the copy what it would find in the tree, or may make it there."""
    if os.path.lexists(there):
        return True
    return not os.path.lexists(here) and there.parent.is_dir()
