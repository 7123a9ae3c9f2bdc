"""The files of a program as they are to be, so far."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from devicefix.findings import Edit
from devicefix.source import Source
from devicefix.verification.trees import Tree


@dataclass(frozen=True, slots=True)
class Draft:
    """A tree, and what some of its files hold instead."""

    root: Path
    """Absolute, links resolved."""
    files: frozenset[str]
    """Those that may be changed, by real path."""
    texts: Mapping[str, bytes] = field(default_factory=dict)
    """By real path."""

    @property
    def tree(self) -> Tree:
        """What is run."""
        names = {path: os.path.relpath(path, self.root) for path in self.texts}
        return Tree(self.root, {names[path]: data for path, data in self.texts.items()})

    @property
    def on_disk(self) -> Draft:
        """The program as it is."""
        return replace(self, texts={})

    @property
    def changed(self) -> frozenset[str]:
        """The files that are to hold something else. Raises `OSError`."""
        return frozenset(p for p, data in self.texts.items() if Path(p).read_bytes() != data)

    def holds(self, path: str) -> bool:
        """Whether a file is a script or module that may be changed."""
        return path.endswith(".py") and os.path.realpath(path) in self.files

    def bytes_of(self, path: str) -> bytes:
        """What a file is to hold. Raises `OSError`."""
        real = os.path.realpath(path)
        return self.texts[real] if real in self.texts else Path(real).read_bytes()

    def source(self, path: str) -> Source:
        """The same as a text. Raises `OSError` and `SourceError`."""
        return Source.from_bytes(self.bytes_of(path), path)

    def edited(self, edits: Mapping[str, Iterable[Edit]]) -> Draft:
        """With edits of some files. Raises `ValueError` where they overlap."""
        new = {}
        for path, some in edits.items():
            source = self.source(path)
            new[os.path.realpath(path)] = source.encode(source.apply(some))
        return self.with_texts(new)

    def with_texts(self, texts: Mapping[str, bytes]) -> Draft:
        """With other contents of some files."""
        real = {os.path.realpath(path): data for path, data in texts.items()}
        return replace(self, texts={**self.texts, **real})
