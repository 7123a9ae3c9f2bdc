"""`pytest --simulate-device cuda`: a test-suite as on a machine with a GPU.

pytest loads this module wherever devicefix is installed, so it imports nothing that costs time:
torch and the simulator come in when a device is asked for.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from devicefix.simulator import Accelerator

OPTION: Final = "simulate_device"
MARKER: Final = "no_simulated_device"
_FOLLOWING: Final = "devicefix-following"
_RECORDING: Final = "devicefix-recording"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--simulate-device`` and the setting of the same name."""
    group = parser.getgroup("devicefix", "simulated accelerator")
    group.addoption(
        "--simulate-device",
        metavar="DEVICE",
        help="run the tests as on a machine with this accelerator: "
        "cuda, cuda:2 (two devices), mps or xpu",
    )
    group.addoption(
        "--no-device-provenance",
        action="store_true",
        help="do not record where each tensor was created: faster, but failures say less",
    )
    group.addoption(
        "--record",
        metavar="FILE",
        help="with --simulate-device: record what the expressions in the project's modules are in "
        "FILE, for devicefix check --evidence FILE",
    )
    parser.addini(OPTION, "accelerator to simulate, as for --simulate-device", default="")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Install the accelerator before a conftest file or a test module can ask torch for one."""
    device = early_config.known_args_namespace.simulate_device
    device = early_config.getini(OPTION) if device is None else device
    file = early_config.known_args_namespace.record
    if file is not None and not device:
        raise pytest.UsageError("--record needs --simulate-device")
    if device:
        from devicefix.pytest_plugin.installing import install

        install(device)
    if file is not None:
        _record(early_config, file)


def _record(config: pytest.Config, file: str) -> None:
    """See the expressions of modules that are imported from now on."""
    from pathlib import Path

    from devicefix.pytest_plugin.recording import Recording

    config.pluginmanager.register(Recording(Path(file), config.rootpath), _RECORDING)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker; follow the tests if there is a simulated accelerator."""
    config.addinivalue_line(
        "markers",
        f"{MARKER}(reason): the test is skipped on a simulated accelerator (devicefix)",
    )
    _follow(config)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what is marked with ``no_simulated_device``."""
    if _installed() is None:
        return
    _follow(config)
    for item in items:
        marker = item.get_closest_marker(MARKER)
        if marker is not None:
            item.add_marker(pytest.mark.skip(reason=_reason(marker, item)))


def _installed() -> Accelerator | None:
    """The accelerator of this process. `devicefix run` installs one when torch is imported."""
    installation = sys.modules.get("devicefix.simulator.installation")
    return None if installation is None else installation.installed()


def _follow(config: pytest.Config) -> None:
    accelerator = _installed()
    if accelerator is None or config.pluginmanager.has_plugin(_FOLLOWING):
        return
    from devicefix.pytest_plugin.following import Following

    following = Following(accelerator, _wants_provenance(config))
    config.pluginmanager.register(following, _FOLLOWING)


def _wants_provenance(config: pytest.Config) -> bool:
    """Not where the observer of `devicefix run` keeps it already."""
    return not (config.getoption("no_device_provenance") or os.environ.get("DEVICEFIX_OBSERVE"))


def _reason(marker: pytest.Mark, item: pytest.Item) -> str:
    reason = marker.args[0] if marker.args else marker.kwargs.get("reason")
    if not isinstance(reason, str) or not reason:
        raise pytest.UsageError(
            f"{item.nodeid}: {MARKER} needs a reason, such as "
            f'@pytest.mark.{MARKER}(reason="reads the memory of the GPU")'
        )
    return f"not on a simulated device: {reason}"
