"""The helper of a project that gives the device, where the style is to write it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

from devicefix.device_helpers import DeviceHelper
from devicefix.engine.errors import EngineError
from devicefix.engine.reading import Scan
from devicefix.source import ModuleIndex, Source

_NAMED: Final = 5
"""Helpers that a sentence names."""
_INSTEAD: Final = 'choose another style, or say `device-expression = "…"`'


class HelperError(EngineError):
    """A project has no helper for the device, or several that differ."""


def project_helpers(
    scans: Sequence[Scan],
    around: Iterable[str],
    modules: ModuleIndex,
    neighbour: Callable[[str], Source | None],
) -> tuple[DeviceHelper, ...]:
    """The helpers of a project, the best first: all give the same.

    Raises `HelperError` where there is none, and where they differ.
    """
    from devicefix.flow.files import is_test
    from devicefix.flow.helpers import helpers

    about_torch = (scan.path for scan in scans if scan.mentions_torch)
    found = helpers(dict.fromkeys((*about_torch, *around)), modules, neighbour)
    uses = _uses(scans, modules)
    # a name of one script is its own affair
    found = tuple(h for h in found if h.called or uses[h.path, h.name])
    root = Path(os.path.commonpath([Path(scan.path).absolute().parent for scan in scans]))
    found = tuple(h for h in found if not is_test(h.path, root)) or found
    # what only a script defines that does more is for itself
    shared = tuple(h for h in found if h.silent) or found
    if not shared:
        raise HelperError(_nothing(scans))
    if len({helper.elsewhere for helper in shared}) > 1:
        raise HelperError(_differing(shared))
    same = [helper for helper in found if helper.elsewhere == shared[0].elsewhere]
    order = sorted(same, key=lambda h: (-uses[h.path, h.name], not h.called, h.path, h.line))
    return tuple(order)


def helpers_at_hand(
    scans: Sequence[Scan],
    around: Iterable[str],
    modules: ModuleIndex,
    neighbour: Callable[[str], Source | None],
) -> tuple[DeviceHelper, ...]:
    """The same where no style asks for them: those that give CUDA or the CPU, and nothing else."""
    try:
        found = project_helpers(scans, around, modules, neighbour)
    except HelperError:
        return ()
    return tuple(helper for helper in found if helper.only_cuda)


def _uses(scans: Iterable[Scan], modules: ModuleIndex) -> Counter[tuple[str, str]]:
    """How many files import a name of which file."""
    found = Counter[tuple[str, str]]()
    for scan in scans:
        for module, level, names in scan.imports():
            path = modules.find(scan.path, module, level) if names else None
            if path is not None:
                found.update((path, name) for name in names)
    return found


def _nothing(scans: Sequence[Scan]) -> str:
    about_torch = next(scan.path for scan in scans if scan.mentions_torch)
    return (
        f'style "project": no device helper found next to {about_torch}: it must be a function '
        "without required parameters that only asks torch for the accelerator and returns its "
        f"device, or a device variable that several files import; {_INSTEAD}"
    )


def _differing(helpers: Sequence[DeviceHelper]) -> str:
    first: dict[tuple[str, ...], DeviceHelper] = {}
    for helper in helpers:
        first.setdefault(helper.elsewhere, helper)
    named = "; ".join(_described(helper) for helper in list(first.values())[:_NAMED])
    return f'style "project": these give different devices: {named}; {_INSTEAD}'


def _described(helper: DeviceHelper) -> str:
    known = [kind for kind in helper.elsewhere if kind != "cpu"]
    return f"{helper.where} (CUDA{''.join(f', {kind.upper()}' for kind in known)} or the CPU)"
