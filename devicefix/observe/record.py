"""One process's record: a JSON file that is always whole."""

from __future__ import annotations

import json
import os
import platform
import sys
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import torch

FORMAT: Final = 1
"""The version of the record; a reader refuses others."""

_NOTHING: Final[Mapping[str, Any]] = {}


class Record:
    """The file in which a process says what it was and what happened in it."""

    def __init__(self, directory: Path, stem: str | None = None) -> None:
        stem = stem or f"{os.getpid()}-{uuid.uuid4().hex[:12]}"
        self._path = directory.absolute() / f"{stem}.json"
        self._complained = False

    def running(self, contents: Mapping[str, Any] = _NOTHING) -> None:
        """The record so far: all that is known of a process that is killed."""
        self.write("running", contents)

    def refuse(self, sentence: str) -> None:
        """The record of a process in which the accelerator could not be installed."""
        self.write("refused", {"refused": sentence})

    def write(self, status: str, contents: Mapping[str, Any]) -> None:
        """Write the record in the place of an earlier one; a failure is said on stderr, once."""
        entries = {**_empty(), **contents, "status": status}
        partial = self._path.with_suffix(".partial")
        try:
            partial.write_text(json.dumps(entries), encoding="utf-8")
            partial.replace(self._path)
        except OSError as error:
            if self._complained:
                return
            self._complained = True
            sys.stderr.write(f"devicefix: no record of process {os.getpid()}: {error}\n")


def _empty() -> dict[str, Any]:
    return {
        "format": FORMAT,
        "pid": os.getpid(),
        "ppid": os.getppid(),
        "argv": list(getattr(sys, "orig_argv", sys.argv)),
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "device": os.environ.get("DEVICEFIX_DEVICE") or os.environ.get("DEVICEFIX_SIMULATE"),
        "main": os.environ.get("DEVICEFIX_MAIN", str(os.getpid())) == str(os.getpid()),
        "refused": None,
        "error": None,
        "transfers": [],
        "lines": [],
        "modules": [],
        "roots": [],
        "begun": [],
        "tensors": [],
        "work": {},
        "notes": [],
    }
