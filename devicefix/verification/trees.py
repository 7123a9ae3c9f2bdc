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
