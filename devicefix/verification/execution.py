"""One run of the program in the scratch copy, and all that was observed of it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from devicefix.records import Ending, Failure, Record, gather
from devicefix.records.observations import SUFFIX, Events, Leaf, read_events
from devicefix.verification.draining import Drain
from devicefix.verification.entries import Entry, find_entry
from devicefix.verification.environment import Setup, verified
from devicefix.verification.errors import LaunchError
from devicefix.verification.relocation import Relocation
from devicefix.verification.request import Request
from devicefix.verification.result import Role
from devicefix.verification.scratch import Scratch
from devicefix.verification.starting import Apart, Starter, start
from devicefix.verification.streams import Rest
from devicefix.verification.supervision import supervise
from devicefix.verification.temporary import own_folder
from devicefix.verification.warming import ForkServer
from devicefix.verification.written import read_written

MOST_OUTPUT: Final = 4_000_000
"""Bytes of stdout that are kept in memory, the first ones."""
ROOM: Final = 200_000_000
"""And on the disk."""
MOST_ERRORS: Final = 64_000
"""Bytes of stderr, the last ones."""


@dataclass(frozen=True, slots=True)
class Order:
    """Which run of a verification is wanted."""

    role: Role
    device: str
    clock: int = 0
    """Which of the two forced clocks it has."""
    lines: Mapping[str, frozenset[int]] = field(default_factory=dict)
    """Lines of which one wants to know whether they ran, by path below the tree's root."""
    perturb: int | None = None
    """The seed by which results are nudged."""
    provenance: bool = False
    """Whether it is of interest where each tensor comes from."""


@dataclass(frozen=True, slots=True)
class Execution:
    """A run that has ended."""

    role: Role
    device: str
    ending: Ending
    records: tuple[Record, ...]
    """Empty for runs on the CPU, but where a process raised: then its record has the error."""
    observed: tuple[Events, ...]
    """The process that was started comes first.

    Files of the tree are named by path below its root.
    """
    output: bytes
    """What all its processes wrote to stdout; the scratch copy goes by the name of the tree.

    Of a long output the beginning: what a process told of line by line.
    """
    errors: str
    """The end of what they wrote to stderr."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Files of text that they wrote in the copy, by path below its root, the oldest first."""
    stored: Mapping[str, tuple[Leaf, ...]] = field(default_factory=dict)
    """What they wrote to other files: values, or a digest."""
    notes: tuple[str, ...] = ()
    rest: Rest | None = None
    """What was written to stdout behind ``output``."""

    @property
    def failure(self) -> Failure | None:
        """The exception that ended it: an error of placement, or of the first process, if any."""
        errors = [record.error for record in self.records if record.error is not None]
        return next((error for error in errors if error.placement), next(iter(errors), None))


def execute(
    request: Request,
    scratch: Scratch,
    original: Path,
    order: Order,
    fork_server: ForkServer | None = None,
) -> Execution:
    """Run the program in ``scratch``, which holds the tree of ``original``, to its end.

    From ``fork_server`` it is forked, where that is the same as if it had been started afresh.

    Raises `LaunchError` where it cannot be started, or not be observed.
    """
    relocation = Relocation(original, scratch.root, scratch.named, request.roots)
    folder = scratch.root / request.folder
    if not folder.is_dir():
        raise LaunchError(f"there is no folder {request.folder} in {original}")
    entry = _entry(request, relocation, folder)
    with own_folder("the records") as place:
        run = _Run(place, relocation, order, folder, fork_server)
        return run.execute(entry, request, scratch)


def _entry(request: Request, relocation: Relocation, folder: Path) -> Entry:
    name = relocation.moved(request.name)
    arguments = [relocation.moved(argument) for argument in request.arguments]
    try:
        return find_entry(name, arguments, request.python, request.is_module, folder)
    except LaunchError as error:
        said = os.fsdecode(relocation.text(os.fsencode(str(error))))
        raise LaunchError(f"{said} (in {relocation.original})") from None


class _Run:
    """One process from its start to its observations."""

    def __init__(
        self,
        own: Path,
        relocation: Relocation,
        order: Order,
        folder: Path,
        fork_server: ForkServer | None,
    ) -> None:
        self._own = own
        self._fork_server = fork_server
        self._relocation = relocation
        self._order = order
        self._folder = folder
        self._records = own / "records"
        self._records.mkdir()

    def execute(self, entry: Entry, request: Request, scratch: Scratch) -> Execution:
        output = Drain(MOST_OUTPUT, room=ROOM)
        errors = Drain(MOST_ERRORS, last=True)
        try:
            ending = self._supervised(entry, request, output.writer, errors.writer)
        finally:
            written, complained = output.finish(), errors.finish()
        cut = [f"stdout: only the first {ROOM:,} bytes were kept"] * output.cut
        self._rename()
        gathered = gather(self._records)
        observed, damaged = self._observed()
        told = next(filter(None, (events.stdout_bytes for events in observed)), len(written))
        rest = Rest(output.spooled, told) if output.spooled is not None else None
        _check_reached(gathered.entered, gathered.records, self._order.role)
        written_files = read_written(scratch, self._relocation)
        return Execution(
            role=self._order.role,
            device=self._order.device,
            ending=ending,
            records=gathered.records,
            observed=observed,
            output=self._relocation.text(written[:told] if rest is not None else written),
            errors=self._relocation.text(complained).decode("utf-8", "replace"),
            files=written_files.texts,
            stored=written_files.stored,
            notes=(*scratch.notes, *gathered.notes, *damaged, *cut, *written_files.notes),
            rest=rest,
        )

    def _supervised(self, entry: Entry, request: Request, stdout: int, stderr: int) -> Ending:
        setup = Setup(
            device=self._order.device,
            records=self._records,
            folder=self._folder,
            relocation=self._relocation,
            clock=self._order.clock,
            lines=self._lines(),
            perturb=self._order.perturb,
            provenance=self._order.provenance,
        )
        nothing = os.open(os.devnull, os.O_RDONLY)
        try:
            apart = Apart(self._folder, nothing, stdout, stderr)
            environment = verified(os.environ, setup)
            starter = self._starter(entry)
            return supervise(entry.command, environment, request.bounds, apart, starter)
        finally:
            os.close(nothing)

    def _starter(self, entry: Entry) -> Starter:
        """What is run to see what varies has other addresses: forks of one process share many.

        Where a difference is in doubt, the program is started afresh, and shares none.
        """
        fork_server, order = self._fork_server, self._order
        afresh = order.device != "cpu" and not order.device.startswith("sim:")
        if order.role is Role.BEFORE_AGAIN and order.clock == 0:
            afresh = True
        root = self._relocation.scratch
        if (
            fork_server is None
            or afresh
            or not fork_server.takes(entry.command, self._folder, root)
        ):
            return start
        return fork_server.start if order.clock == 0 else fork_server.start_elsewhere

    def _lines(self) -> Path | None:
        """The file that asks which lines run; None where nobody wants to know."""
        if not self._order.lines:
            return None
        root = self._relocation.scratch
        asked = {str(root / path): sorted(lines) for path, lines in self._order.lines.items()}
        file = self._own / "lines.json"
        file.write_text(json.dumps(asked))
        return file

    def _rename(self) -> None:
        """What was recorded names the tree that the user knows, and not the copy."""
        for file in self._records.iterdir():
            if file.suffix in {".json", SUFFIX}:
                file.write_bytes(self._relocation.records(file.read_bytes()))

    def _observed(self) -> tuple[tuple[Events, ...], list[str]]:
        """The events of all processes, and which are damaged."""
        found: list[Events] = []
        notes: list[str] = []
        for file in sorted(self._records.glob(f"*{SUFFIX}")):
            try:
                found.append(self._below_root(read_events(file)))
            except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
                process = file.name.partition("-")[0]
                notes.append(f"the record of process {process} cannot be read: {error!r}")
        return tuple(sorted(found, key=lambda events: (not events.main, events.pid))), notes

    def _below_root(self, events: Events) -> Events:
        ran = {self._below(file): lines for file, lines in events.executed.items()}
        loaded = frozenset(map(self._below, events.loaded))
        return replace(events, executed=ran, loaded=loaded)

    def _below(self, file: str) -> str:
        """``file`` as seen from the root."""
        return os.path.relpath(file, self._relocation.named)


def _check_reached(entered: int, records: Sequence[Record], role: Role) -> None:
    """Raises `LaunchError` where nothing could be observed, or there was no accelerator."""
    refused = next((record.refused for record in records if record.refused is not None), None)
    if refused is not None:
        raise LaunchError(refused)
    if not entered and role is Role.BEFORE:
        raise LaunchError(
            "no Python process could be observed: none was started, or python -I, -E or -S "
            "prevented it"
        )
