"""What `verify` and `apply --verify` have in common: devices, and a copy that goes in any case."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final, NoReturn

import click
from msgspec import Struct

from devicefix.cli import launching

_CPU: Final = "cpu"
SECONDS: Final = 600.0
"""What a run may take, where nobody says."""

devices = click.option(
    "--device",
    "devices",
    multiple=True,
    metavar="DEVICE",
    help=(
        "Devices to run on: sim:cuda (default), sim:cuda:N, sim:mps, sim:xpu, sim:npu, "
        "cuda, mps, xpu or cpu; repeat it, or separate them by commas."
    ),
)
timeout = click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="Stop each run after this time, and compare what it did until then.",
)
memory = click.option(
    "--memory",
    type=click.IntRange(min=1),
    metavar="MB",
    help="Stop a run if its processes use more memory than this in total.",
)
tolerance = click.option(
    "--tolerance",
    type=click.FloatRange(min=0),
    metavar="NUMBER",
    help=(
        "Allowed relative difference of numbers on a device. Default: none on a simulated one, "
        "rounding of the dtype on a real one."
    ),
)


class RunOptions(Struct, frozen=True):
    """What these options say of the runs of a verification."""

    devices: tuple[str, ...]
    python: str | None
    timeout: float
    memory: int | None
    tolerance: float | None


def devices_named(given: Sequence[str]) -> tuple[str, ...]:
    """Each device once, in the order in which they were named."""
    names = [name.strip() for words in given for name in words.split(",")]
    return tuple(dict.fromkeys(_device(name) for name in names or ["sim:cuda"]))


def _device(name: str) -> str:
    from devicefix.verification.readiness import REAL

    if name == _CPU or name in REAL:
        return name
    if name.startswith("sim:"):
        return launching.simulated_device(name)
    known = ", ".join(("sim:cuda, sim:cuda:N, sim:mps, sim:xpu, sim:npu", *REAL, _CPU))
    raise click.BadParameter(f"unknown device {name!r}; choose from {known}", param_hint="--device")


def check_devices(python: str, devices: Sequence[str]) -> None:
    """Raises `LaunchError` where the interpreter ``python`` cannot have one of them."""
    from devicefix.verification import check_accelerator

    for device in devices:
        if device.startswith("sim:"):
            launching.check_ready(python, device)
        elif device != _CPU:
            check_accelerator(python, device)


@contextmanager
def cleared_away() -> Iterator[None]:
    """Being told to end ends us as Ctrl-C does: the copy of the tree goes first."""

    def end(number: int, frame: object) -> NoReturn:
        raise SystemExit(128 + number)

    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
