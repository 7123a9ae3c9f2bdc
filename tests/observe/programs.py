"""Runs small programs as devicefix starts them, and reads what they left behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from types import MappingProxyType
from typing import Any

import devicefix
from devicefix.records.observations import SUFFIX, Event, Events, Kind, read_events
from tests.forking import run_forked

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
    if afresh:
        ended = subprocess.run(
            command,
            env=environment,
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
    else:
        ended = run_forked(command, environment, folder)
    kept = folder / "records"
    return Ran(ended.returncode, ended.stdout, ended.stderr, _records(kept), _events(kept))


def _events(folder: Path) -> tuple[Events, ...]:
    found = [read_events(file) for file in folder.glob(f"*{SUFFIX}")]
    return tuple(sorted(found, key=lambda events: not events.main))


def _records(folder: Path) -> tuple[dict[str, Any], ...]:
    found = [json.loads(file.read_text()) for file in folder.glob("*.json")]
    return tuple(sorted(found, key=lambda record: not record["main"]))
