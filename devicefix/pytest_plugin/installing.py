"""From what was asked for to a simulated accelerator in this process, or a sentence why not."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Final

import pytest

_PREFIX: Final = "sim:"


def install(device: str) -> None:
    """Install ``device``: ``cuda``, ``cuda:2``, ``mps`` or ``xpu``, with ``sim:`` in front or not.

    Raises `pytest.UsageError` where that cannot be done; pytest ends with status 4 then.
    """
    # The filters of the project's configuration hold already, and its warnings may be errors.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _import_torch()
        _install(device if device.startswith(_PREFIX) else _PREFIX + device)


def _import_torch() -> None:
    try:
        import torch  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise _refusal(f"torch cannot be imported: {error}") from error
        raise _refusal(f"{sys.executable} has no torch: install it next to pytest") from error
    except Exception as error:  # a broken installation: a library that is not there, a wrong one
        raise _refusal(f"torch cannot be imported: {type(error).__name__}: {error}") from error


def _install(device: str) -> None:
    from devicefix import simulator

    try:
        accelerator = simulator.install(device)
    except (simulator.Refused, ValueError) as error:
        raise _refusal(str(error)) from error
    except Exception as error:  # a fault of ours, which must not look like one of the project's
        raise _refusal(f"it could not be installed: {type(error).__name__}: {error}") from error

    _tell_children(str(accelerator.simulated))


def _tell_children(device: str) -> None:
    """Processes that the tests start see the device, too, as they would on a machine with one."""
    from devicefix.verification.environment import simulated

    if "DEVICEFIX_SIMULATE" not in os.environ:
        os.environ.update(simulated(os.environ, device, None, provenance=False))


def _refusal(sentence: str) -> pytest.UsageError:
    return pytest.UsageError(f"--simulate-device: {sentence}")
