"""The source trees that a verification compares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Tree:
    """A folder as it is, but for some files."""

    root: Path
    """Absolute, links resolved."""
    overlay: Mapping[str, bytes | None] = field(default_factory=dict)
    """What files hold instead, by their path below ``root`` with ``/``; None: no such file."""


def changed(before: Tree, after: Tree) -> tuple[str, ...]:
    """The files in which two trees differ, by their paths below the roots, sorted.

    Trees with one root differ in their overlays only; others are read whole. Raises `OSError`.
    """
    if before.root == after.root:
        names = sorted(before.overlay.keys() | after.overlay.keys())
        return tuple(name for name in names if before.content(name) != after.content(name))
    names = sorted(before.names() | after.names())
    return tuple(name for name in names if before.content(name) != after.content(name))
