"""The folder, outside of the user's tree, in which devicefix keeps what it has to remember."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

STATE_VARIABLE: Final = "DEVICEFIX_STATE_DIR"
"""Environment variable that names another folder."""
CACHE_VARIABLE: Final = "DEVICEFIX_CACHE_DIR"
"""The same for what may be thrown away at any time."""


def state_folder(name: str) -> Path:
    """The part of it that is called ``name``; it need not be there yet."""
    override = os.environ.get(STATE_VARIABLE)
    if override:
        return Path(override) / name
    from platformdirs import user_state_path

    return user_state_path("devicefix", appauthor=False) / name


def cache_folder(name: str) -> Path:
    """The folder, called ``name``, of what devicefix would have to find out anew without it."""
    override = os.environ.get(CACHE_VARIABLE)
    if override:
        return Path(override) / name
    from platformdirs import user_cache_path

    return user_cache_path("devicefix", appauthor=False) / name
