"""One file for each target, called like the target; it has one `Target`, ``TARGET``."""

from __future__ import annotations

import importlib
import pkgutil

from fuzz.target import Target


def names() -> list[str]:
    """The targets that there are."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def load(name: str) -> Target:
    """The target called ``name``."""
    found: Target = importlib.import_module(f"{__name__}.{name}").TARGET
    return found
