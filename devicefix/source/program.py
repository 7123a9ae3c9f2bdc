"""Several files that belong to one program, as one analysis sees them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from devicefix.source.modules import ModuleIndex
from devicefix.source.text import Source


def _alone(path: str) -> Source | None:
    return None


@dataclass(frozen=True)
class Program:
    """The files to work on, and the way to the others of their project."""

    sources: Mapping[str, Source]
    """The files that may be changed, by path, in a stable order."""
    modules: ModuleIndex
    neighbour: Callable[[str], Source | None] = _alone
    """Another file of the project, only to be read; None where it cannot be read or parsed."""

    @classmethod
    def of(cls, *sources: Source) -> Program:
        """The program that consists of ``sources`` and nothing else."""
        return cls({s.path: s for s in sources}, ModuleIndex(s.path for s in sources))
