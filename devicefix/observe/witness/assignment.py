"""What the run that started this process wants to know of it, read from the environment."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Roots:
    """The tree that the program comes from, and the copy of it that runs."""

    original: str
    scratch: str
    others: tuple[str, ...] = ()
    """Other states of the program, which may be what is installed."""

    def moved(self, path: str) -> str | None:
        """Where ``path`` is in the copy; None for what lies elsewhere."""
        if _is_below(path, self.scratch):  # which may lie in the tree itself
            return None
        for root in (self.original, *self.others):
            if _is_below(path, root):
                return self.scratch + path[len(root) :]
        return None


def _is_below(path: str, root: str) -> bool:
    return path == root or path.startswith(root + os.sep)


@dataclass(frozen=True)
class Assignment:
    """What is asked of this process."""

    directory: Path
    """Where events and record are left."""
    device: str
    """``cpu``, ``sim:cuda``, ``cuda`` …"""
    clock: int
    roots: Roots | None
    lines: Mapping[str, frozenset[int]]
    """Lines of which one wants to know whether they ran, by absolute path."""
    perturb: int | None
    """The seed of the perturbation; None for none."""

    @property
    def is_real(self) -> bool:
        """Whether the program computes on an accelerator that is there."""
        return self.device != "cpu" and not self.device.startswith("sim:")


def read_assignment(environment: Mapping[str, str]) -> Assignment | None:
    """What ``environment`` asks for; None where no events are wanted."""
    directory = environment.get("DEVICEFIX_OBSERVE")
    if environment.get("DEVICEFIX_EVENTS") != "1" or not directory:
        return None
    simulated = environment.get("DEVICEFIX_SIMULATE")
    perturb = environment.get("DEVICEFIX_PERTURB")
    return Assignment(
        directory=Path(directory).absolute(),
        device=environment.get("DEVICEFIX_DEVICE") or simulated or "cpu",
        clock=int(environment.get("DEVICEFIX_CLOCK") or 0),
        roots=_roots(environment.get("DEVICEFIX_ROOTS", "")),
        lines=_lines(environment.get("DEVICEFIX_LINES")),
        perturb=int(perturb) if perturb else None,
    )


def _roots(text: str) -> Roots | None:
    """``original:others:scratch``, of which there may be no others."""
    paths = [path.rstrip(os.sep) for path in text.split(os.pathsep)]
    if len(paths) < 2 or not all(paths):
        return None
    return Roots(paths[0], paths[-1], tuple(paths[1:-1]))


def _lines(path: str | None) -> Mapping[str, frozenset[int]]:
    if not path:
        return {}
    asked = json.loads(Path(path).read_text(encoding="utf-8"))
    return {file: frozenset(lines) for file, lines in asked.items()}
