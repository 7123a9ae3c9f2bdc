"""What is to be verified."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from devicefix.verification.supervision import Bounds
from devicefix.verification.trees import Tree


@dataclass(frozen=True, slots=True)
class Request:
    """A program, the trees to run it from, and how."""

    name: str
    """Script, notebook, module or command, as for `find_entry`; files as seen from ``folder``."""
    arguments: tuple[str, ...]
    python: str
    is_module: bool = False
    folder: PurePosixPath = field(default_factory=PurePosixPath)
    """The working directory, below the root of the trees."""
    roots: tuple[Path, ...] = ()
    """Where else the program may have been installed from: its imports lead into the copy."""
    devices: tuple[str, ...] = ("sim:cuda",)
    bounds: Bounds = field(default_factory=Bounds)
    """Of each run."""
    tolerance: float | None = None
    """Relative; None for what fits the device and the dtypes."""
    coverage: float | None = None
    """The least share of the arithmetic that has to be on the accelerator after the change, 0 to 1.
    None: some of it, if the trees differ, and no less than before.
    """


@dataclass(frozen=True, slots=True)
class Candidate:
    """One state of the program after a change."""

    tree: Tree
    lines: Mapping[str, frozenset[int]] = field(default_factory=dict)
    """Lines of which one wants to know whether they ran: by path below the root, 1-based."""
