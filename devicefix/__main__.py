"""``python -m devicefix``."""

from __future__ import annotations

import os
import sys


def _leave_working_directory() -> None:
    """Python put it first on the path; what is scanned there must not pass for a library."""
    while sys.path and sys.path[0] in ("", os.getcwd()):
        del sys.path[0]


if __name__ == "__main__":
    _leave_working_directory()
    from devicefix.cli import main

    sys.exit(main())
