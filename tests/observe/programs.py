"""Runs small programs as devicefix starts them, and reads what they left behind."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from types import MappingProxyType
from typing import Any

import devicefix
from devicefix.records.observations import SUFFIX, Event, Events, Kind, read_events
from devicefix.verification import Bounds
from devicefix.verification.starting import Apart
from devicefix.verification.supervision import supervise
from devicefix.verification.warming import Nursery

ENTRANCE = Path(devicefix.__file__).parent / "observe" / "entrance"


@dataclass(frozen=True)
class Ran:
    """A program that has ended."""

    status: int
    out: str
    err: str
    records: tuple[dict[str, Any], ...]
    """The record of the process that was started, then those of its children."""
    seen: tuple[Events, ...] = ()
    """Likewise the events."""

    @property
    def record(self) -> dict[str, Any]:
        (record,) = self.records
        return record

    @property
    def error(self) -> dict[str, Any]:
        found: dict[str, Any] = self.record["error"]
        return found

    @property
    def events(self) -> Events:
        (events,) = self.seen
        return events

    def of(self, kind: Kind) -> list[Event]:
        return [event for event in self.events.events if event.kind is kind]

    def operand(self, name: str) -> dict[str, Any]:
        return next(one for one in self.error["operands"] if one["name"] == name)


def run(
    folder: Path,
    program: str,
    device: str = "sim:cuda",
    provenance: bool = True,
    arguments: tuple[str, ...] = (),
    path: str = "",
    given: tuple[str, ...] = (),
    afresh: bool = False,
) -> Ran:
    """Run ``program`` as ``folder/train.py`` on a simulated device."""
    script = folder / "train.py"
    script.write_text(dedent(program))
    kept = folder / "records"
    kept.mkdir(exist_ok=True)
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, [str(ENTRANCE), path])),
        "DEVICEFIX_SIMULATE": device,
        "DEVICEFIX_OBSERVE": str(kept),
        "DEVICEFIX_PROVENANCE": "1" if provenance else "0",
    }
    return _start(folder, environment, [*arguments, str(script), *given], afresh)


def witness(
    folder: Path,
    program: str,
    device: str = "cpu",
    environment: Mapping[str, str] = MappingProxyType({}),
    arguments: tuple[str, ...] = (),
) -> Ran:
    """Run ``program`` as ``folder/train.py``, as a verification does."""
    script = folder / "train.py"
    script.write_text(dedent(program))
    kept = folder / "records"
    kept.mkdir(exist_ok=True)
    simulating = {"DEVICEFIX_SIMULATE": device} if device.startswith("sim:") else {}
    variables = {
        **os.environ,
        **simulating,
        "PYTHONPATH": str(ENTRANCE),
        "PYTHONHASHSEED": "0",
        "DEVICEFIX_OBSERVE": str(kept),
        "DEVICEFIX_EVENTS": "1",
        "DEVICEFIX_DEVICE": device,
        "DEVICEFIX_PROVENANCE": "0",
        **environment,
    }
    return _start(folder, variables, [*arguments, str(script)])


def _start(
    folder: Path, environment: dict[str, str], arguments: list[str], afresh: bool = False
) -> Ran:
    environment.pop("DEVICEFIX_MAIN", None)
    command = (sys.executable, *arguments)
    # Forked off a Python with torch it is the same (tests/verification/test_warming.py), and quick;
    # but not where modules are looked for in other places than by that Python.
    afresh = afresh or environment["PYTHONPATH"] != str(ENTRANCE)
    if not afresh and _NURSERY.takes(command, folder, folder):
        return _forked(command, environment, folder)
    ended = subprocess.run(
        command,
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    kept = folder / "records"
    return Ran(ended.returncode, ended.stdout, ended.stderr, _records(kept), _events(kept))


_NURSERY = Nursery(sys.executable)
atexit.register(_NURSERY.__exit__)


def _forked(command: tuple[str, ...], environment: dict[str, str], folder: Path) -> Ran:
    with (
        Path(os.devnull).open("rb") as nothing,
        tempfile.TemporaryFile("w+") as out,
        tempfile.TemporaryFile("w+") as err,
    ):
        apart = Apart(folder, nothing.fileno(), out.fileno(), err.fileno())
        ending = supervise(command, environment, Bounds(300), apart, _NURSERY.start)
        out.seek(0)
        err.seek(0)
        kept = folder / "records"
        status = ending.status if ending.signal is None else -ending.signal
        return Ran(status, out.read(), err.read(), _records(kept), _events(kept))


def _events(folder: Path) -> tuple[Events, ...]:
    found = [read_events(file) for file in folder.glob(f"*{SUFFIX}")]
    return tuple(sorted(found, key=lambda events: not events.main))


def _records(folder: Path) -> tuple[dict[str, Any], ...]:
    found = [json.loads(file.read_text()) for file in folder.glob("*.json")]
    return tuple(sorted(found, key=lambda record: not record["main"]))
