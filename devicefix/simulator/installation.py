"""Puts the simulated accelerator into this process, once and for good."""

from __future__ import annotations

from typing import Final

from devicefix.simulator import (
    absent,
    circumstances,
    collectives,
    extensions,
    generators,
    guard,
    hooks,
    legacy_types,
    optimizers,
    parallel,
    pinning,
    private_api,
    privateuse,
    runtime,
    scripted,
    storages,
    streams,
)
from devicefix.simulator.accelerator import Accelerator
from devicefix.simulator.devices import Simulated, parse
from devicefix.simulator.errors import Refused
from devicefix.simulator.kernels import Workshop
from devicefix.simulator.machine_code import MachineCode
from devicefix.simulator.registration import register
from devicefix.simulator.relabelling import Relabeller


class _Installed:
    """The one accelerator of this process: torch's registries are global, too."""

    accelerator: Accelerator | None = None
    code: MachineCode | None = None


_PROCESS: Final = _Installed()


def installed() -> Accelerator | None:
    """The accelerator that this process has."""
    return _PROCESS.accelerator


def install(device: str | Simulated = "sim:cuda") -> Accelerator:
    """Simulate ``device`` in this process from now on: ``sim:cuda``, ``sim:cuda:2``, ``sim:mps``,
    ``sim:xpu`` or ``sim:npu``.

    It cannot be taken back. A second call for the same device changes nothing. Raises `Refused`
    where the simulation cannot work or would cover a real device, and `ValueError` for a device
    that is none.
    """
    simulated = parse(device) if isinstance(device, str) else device
    if _PROCESS.accelerator is not None:
        return _same(_PROCESS.accelerator, simulated)
    circumstances.require(simulated.kind)
    if privateuse.is_private(simulated.kind):
        privateuse.introduce(simulated.kind)
    accelerator = Accelerator(simulated)
    code = _PROCESS.code = MachineCode()
    guard.install(accelerator, code)
    hooks.install(accelerator, code)
    engines = generators.Engines()
    relabeller = Relabeller(accelerator, code)
    register(Workshop(accelerator, relabeller, engines))
    relabeller.check(accelerator)
    collectives.install(accelerator, relabeller)
    _install_python(accelerator, generators.install(accelerator, engines))
    accelerator.unused()
    _PROCESS.accelerator = accelerator
    return accelerator


def _same(accelerator: Accelerator, simulated: Simulated) -> Accelerator:
    if accelerator.simulated != simulated:
        raise Refused(
            f"this process simulates {accelerator.simulated} already, so it cannot be {simulated}"
        )
    return accelerator


def _install_python(
    accelerator: Accelerator, defaults: tuple[generators.DefaultGenerator, ...]
) -> None:
    """What programs call by name."""
    streams.install(accelerator)
    runtime.install(accelerator, defaults)
    storages.install(accelerator)
    pinning.install()
    private_api.install(accelerator)
    optimizers.install()
    scripted.install()
    absent.install(accelerator)
    if accelerator.name == "cuda":
        extensions.install()
        parallel.install(accelerator)
        legacy_types.install(accelerator)
