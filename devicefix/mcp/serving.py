"""How an agent reaches the server."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Final

from devicefix.mcp.root import Root
from devicefix.mcp.server import build

_STACK: Final = 64 * 1024 * 1024
"""Bytes: analysis recurses deeply, and a thread has half a megabyte on some systems."""


def over_stdio(folder: Path) -> None:
    """Serve the agent that has started this process, until it goes."""
    root = Root.of(folder)
    os.chdir(root.folder)  # reports name paths as seen from here
    threading.stack_size(_STACK)
    build(root).run("stdio")
