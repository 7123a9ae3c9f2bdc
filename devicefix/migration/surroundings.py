"""What a stranger's program gets to see of us: as little as it can run with.

Not what keeps it from looking further: it runs as our user, and reads what our user may.
"""

from __future__ import annotations

import ctypes
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from devicefix.migration.refusals import CampaignError

_NAMES: Final = frozenset(
    {
        *("PATH", "LANG", "LANGUAGE", "TZ", "TMPDIR", "USER", "LOGNAME", "SHELL"),
        *("LD_LIBRARY_PATH", "VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV"),
        *(
            "PYTHONPATH",
            "PYTHONHASHSEED",
            "PYTHONDONTWRITEBYTECODE",
            "PYTHONUTF8",
            "PYTHONIOENCODING",
        ),
        *("TORCH_HOME", "HF_HOME", "HF_HUB_OFFLINE", "XDG_CACHE_HOME", "MPLBACKEND"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "DEVICEFIX_STATE_DIR"),
    }
)
_BEGINNINGS: Final = (
    "LC_",
    "OMP_",
    "MKL_",
    "CUDA_",
    "NVIDIA_",
    "NCCL_",
    "ROCM_",
    "HIP_",
    "PYTORCH_",
)
_SET_DUMPABLE: Final = 4
"""``PR_SET_DUMPABLE`` of prctl(2)."""


def check_system() -> None:
    """Raises `CampaignError` where nothing could be kept within bounds."""
    if sys.platform != "linux":
        raise CampaignError(
            "campaigns run on Linux only, where the processes of a repository can be tracked and "
            "limited. `devicefix migrate status` and `report` work everywhere"
        )


def token_of(variable: str) -> str:
    """The token in an environment variable, without the line end that a file has brought along."""
    return os.environ.get(variable, "").strip() if variable else ""


def harmless(environment: Mapping[str, str]) -> dict[str, str]:
    """What of ``environment`` is passed on: what is known to be needed, whatever else there is."""
    kept = {n: v for n, v in environment.items() if n in _NAMES or n.startswith(_BEGINNINGS)}
    home = environment.get("HOME")
    if home is not None:  # what was installed and fetched there is found, what is secret is not
        kept.setdefault("PYTHONUSERBASE", environment.get("PYTHONUSERBASE", f"{home}/.local"))
        kept.setdefault("XDG_CACHE_HOME", f"{home}/.cache")
    return kept


@contextmanager
def stripped() -> Iterator[None]:
    """Our own environment is what is `harmless` of it, with an empty home."""
    before = dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="devicefix-home-", ignore_cleanup_errors=True) as home:
        kept = harmless(before)
        if "DEVICEFIX_STATE_DIR" not in kept:
            kept["DEVICEFIX_STATE_DIR"] = str(_state())
        _become({**kept, "HOME": home})
        try:
            yield
        finally:
            _become(before)


def _state() -> Path:
    """Where it is remembered which torch has been tried; it would move with the home."""
    from devicefix.engine.state import state_folder

    return state_folder("any").parent


def _become(environment: Mapping[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)


def shield() -> None:
    """Other processes of our user may not read our memory, nor the environment we began with.

    root may. Where the system is not Linux nothing happens.
    """
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl is not None:
        prctl(_SET_DUMPABLE, 0, 0, 0, 0)
