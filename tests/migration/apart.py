"""Another process that works on a campaign."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_HOLD: Final = """
import sys
from pathlib import Path
from devicefix.migration.plan_file import load_plan
from devicefix.migration.starting import opened
with opened(load_plan(Path(sys.argv[1]))):
    print("ready", flush=True)
    sys.stdin.read()
"""


@contextmanager
def holding(plan: Path) -> Iterator[None]:
    """It does so as long as the block lasts."""
    with subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(plan)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield
        process.stdin.close()
