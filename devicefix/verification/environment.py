"""How the simulator and its observer come into a process: through the environment.

A folder with a ``sitecustomize.py`` stands first on ``PYTHONPATH``. Children inherit it, whatever
starts them, and nothing of the program or its command line changes.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

ENTRANCE: Final = Path(__file__).parent.parent / "observe" / "entrance"
_OURS: Final = ("DEVICEFIX_SIMULATE", "DEVICEFIX_OBSERVE", "DEVICEFIX_PROVENANCE", "DEVICEFIX_MAIN")
"""What a run around this one may have set."""


def simulated(
    base: Mapping[str, str], device: str, records: Path | None, provenance: bool
) -> dict[str, str]:
    """``base`` for a program that is to see ``device``.

    It leaves its records in ``records``; None for no record.
    """
    inherited = base.get("PYTHONPATH", "")
    own = {name: value for name, value in base.items() if name not in _OURS}
    observing = {} if records is None else {"DEVICEFIX_OBSERVE": str(records)}
    return {
        **own,
        **observing,
        "PYTHONPATH": os.pathsep.join(filter(None, (str(ENTRANCE), inherited))),
        "DEVICEFIX_SIMULATE": device,
        "DEVICEFIX_PROVENANCE": "1" if provenance else "0",
    }
