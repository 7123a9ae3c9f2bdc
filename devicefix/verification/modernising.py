"""A program that runs nowhere any more, brought to today's Python and PyTorch and no further.

It stands in for the program before a change. What brings it there is a part of the change, and the
only part that the runs then say nothing about.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from devicefix.engine import EngineError, apply
from devicefix.settings import Settings
from devicefix.verification.trees import Tree

_FAMILY: Final = "DFX6"
"""The rules for what today's Python or PyTorch refuses; they move nothing."""


@dataclass(frozen=True, slots=True)
class Modernised:
    """A tree with the fixes of the legacy rules alone."""

    tree: Tree
    codes: tuple[str, ...]
    """The rules that changed something."""


def modernised(tree: Tree, copy: Path) -> Modernised | None:
    """``tree``, of which ``copy`` holds what it holds, with what is legacy in it mended.

    None where there is nothing to mend. Nothing is written.
    """
    try:
        report = apply([copy], Settings(select=(_FAMILY,)), dry_run=True)
    except EngineError:
        return None
    if not report.changes:
        return None
    new = {
        Path(result.path).relative_to(copy).as_posix(): change.after
        for result, change in report.changes
    }
    codes = frozenset[str]().union(*(change.codes for _, change in report.changes))
    return Modernised(Tree(tree.root, {**tree.overlay, **new}), tuple(sorted(codes)))
