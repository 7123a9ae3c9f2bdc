"""``python -m devicefix``."""

from __future__ import annotations

import sys
from pathlib import Path


def _leave_working_directory() -> None:
    """Python put it first on the path; what is scanned there must not pass for a library."""
    here = str(Path.cwd())
    while sys.path and sys.path[0] in ("", here):
        del sys.path[0]


if __name__ == "__main__":
    _leave_working_directory()
    from devicefix.cli import main

    sys.exit(main())
