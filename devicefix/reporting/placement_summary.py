"""Where a program computed and what it copied: a summary that fits on a screen, or all of it."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, TextIO

from msgspec import Struct

from devicefix.records import How, ModuleWork, Place, Placement, Run, placement_of
from devicefix.records.placement import HOST
from devicefix.reporting.places import (
    amount,
    bytes_of,
    near,
    percent,
    shape_of,
    short_where,
    source_of,
)
from devicefix.reporting.terminal import console, printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_WIDTH: Final = 100
_FILE_WIDTH: Final = 160
_BAR: Final = 24


class _Limits(NamedTuple):
    """How many rows of each section there are; None: all."""

    devices: int | None = None
    host_lines: int | None = None
    transfers: int | None = None
    modules: int | None = None
    tensors: int | None = None
    notes: int | None = None


_SCREEN: Final = _Limits(devices=3, host_lines=3, transfers=3, modules=4, tensors=3, notes=2)
_ALL: Final = _Limits()


class _Section(Struct, frozen=True):
    title: str
    rows: Sequence[Sequence[str]]
    justify: str
    """For each column ``l``, ``r``, or ``s`` for source text, which gives way first."""
    limit: int | None


def show_summary(run: Run, out: TextIO) -> None:
    """The summary: at most 24 lines of 100 columns on a terminal."""
    _show(run, out, _SCREEN)


def write_summary(run: Run, out: TextIO) -> None:
    """The same with every row."""
    _show(run, out, _ALL)


def _show(run: Run, out: TextIO, limits: _Limits) -> None:
    screen = console(out)
    width = min(screen.width, _WIDTH if limits is _SCREEN else _FILE_WIDTH)
    placement = placement_of(run.records)
    _print(screen, _title(run, width))
    if run.records:
        _show_work(screen, placement, limits.devices)
    else:
        screen.print(nothing_seen(run))
    for section in _sections(placement, limits):
        _show_section(screen, section, width)
    for note in itertools.islice((*placement.notes, *run.notes), limits.notes):
        _print(screen, _cut(f"note: {printable(note)}", width))


def nothing_seen(run: Run) -> str:
    """Why there is no record."""
    if not run.entered:
        return "No Python process could be observed."
    return "Nothing was recorded." if run.notes else "The program never imported torch."


def _print(screen: Console, text: Text) -> None:
    screen.print(text)


def _cut(line: str, width: int) -> Text:
    from rich.text import Text

    text = Text(line)
    text.truncate(width, overflow="ellipsis")
    return text


def _title(run: Run, width: int) -> Text:
    from rich.text import Text

    left = f"── placement on {run.device} "
    right = f" {ending_of(run)} ──"
    command = _cut(f"── {command_of(run)}", width - len(left) - len(right) - 1).plain
    return Text(f"{left}{command} ".ljust(width - len(right), "─") + right, "bold")


def command_of(run: Run) -> str:
    """The command line, as one would write it; the interpreter is its name."""
    first = run.command[0].rpartition("/")[2]
    return printable(shlex.join((first, *map(near, run.command[1:]))))


def ending_of(run: Run) -> str:
    """How the program ended, and after how long."""
    ending = run.ending
    said = {
        How.EXITED: f"exit {ending.status}",
        How.SIGNAL: f"signal {ending.signal}",
        How.TIMEOUT: "timed out",
        How.MEMORY: "out of memory (--memory)",
    }[ending.how]
    return f"{said}, {ending.seconds:.1f} s"


def _show_work(screen: Console, placement: Placement, most: int | None) -> None:
    """A bar for each device; of many accelerators the first ones."""
    from rich.text import Text

    total = sum(placement.work.values())
    if not total:
        screen.print("arithmetic   none was recorded")
        return
    shown = [*itertools.islice(sorted(placement.work.keys() - {HOST}), most), HOST]
    devices = [device for device in shown if device in placement.work]
    width = max(map(len, devices))
    for number, device in enumerate(devices):
        work = placement.work[device]
        bar = "█" * round(_BAR * work / total)
        screen.print(
            Text.assemble(
                "" if number else ("arithmetic", "bold"),
                "          " if number else "",
                f"   {device.ljust(width)}  {percent(work, total):>7}  ",
                (bar.ljust(_BAR, "·"), style_of(device)),
                f"  {amount(work)}",
            )
        )

    if is_unused(placement):
        screen.print(Text("the accelerator computed nothing", "bold red"))


def is_unused(placement: Placement) -> bool:
    """Whether something was computed, and all of it on the host."""
    return placement.share == 0


def style_of(device: str) -> str:
    """The host stands out: what is there is what people look for."""
    return "red" if device == HOST else "green"


def _sections(placement: Placement, limits: _Limits) -> Iterator[_Section]:
    total = sum(placement.work.values())
    yield _Section(
        "computed on the CPU",
        [
            (percent(line.work[HOST], total), short_where(line.at), source_of(line.at))
            for line in placement.host_lines
        ],
        "rls",
        limits.host_lines,
    )
    yield _Section(
        "copied between devices",
        [
            (amount(c.count), bytes_of(c.bytes), f"{c.source} → {c.target}", *_at(c.at))
            for c in placement.transfers
        ],
        "rrlls",
        limits.transfers,
    )
    yield _modules(placement, limits)
    yield _Section(
        "largest tensors",
        [
            (bytes_of(t.bytes), t.device, t.dtype, shape_of(t.shape), *_at(t.moved or t.created))
            for t in placement.tensors
        ],
        "rlllls",
        limits.tensors,
    )


def _at(place: Place | None) -> tuple[str, str]:
    return short_where(place), source_of(place)


def _modules(placement: Placement, limits: _Limits) -> _Section:
    """Those on the host first: there the others are as they should be."""
    by_device: dict[str, list[ModuleWork]] = {}
    for module in placement.modules:
        if module.device:  # it has parameters or buffers
            by_device.setdefault(module.device, []).append(module)
    counts = ", ".join(f"{len(found)} on {device}" for device, found in by_device.items())
    title = f"modules: {counts}" if counts else "modules"
    total = sum(placement.work.values())
    ordered = sorted(placement.modules, key=_importance)
    rows = [
        (
            printable(module.name) or "(the model)",
            printable(module.type),
            module.device,
            f"{amount(module.parameters)} parameters" if module.parameters else "",
            *_shares(module, total),
        )
        for module in ordered
    ]
    return _Section(title, rows, "lllrrl", limits.modules)


def _importance(module: ModuleWork) -> tuple[bool, bool, int]:
    return (
        module.device != HOST,
        HOST not in module.work,
        -sum(module.work.values()) or -module.parameters,
    )


def _shares(module: ModuleWork, total: int) -> tuple[str, str]:
    """What part of all arithmetic the module did, and where."""
    work = sum(module.work.values())
    if not work:
        return "", ""
    where = ", ".join(sorted(module.work, key=lambda device: (device != HOST, device)))
    return percent(work, total), f"of all, on {where}"


def _show_section(screen: Console, section: _Section, width: int) -> None:
    from rich.text import Text

    if not section.rows:
        return
    shown = list(itertools.islice(section.rows, section.limit))
    more = len(section.rows) - len(shown)
    title = f"{section.title} ({len(shown)} of {len(section.rows)})" if more else section.title
    screen.print(Text(title, "bold"))
    for row in _aligned(shown, section.justify):
        row.truncate(width, overflow="ellipsis")
        screen.print(row)


def _aligned(rows: Sequence[Sequence[str]], justify: str) -> Iterator[Text]:
    """Rows in columns; the last one, the source, is as long as it is, and gives way."""
    from rich.cells import cell_len
    from rich.text import Text

    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        line = Text(" ")
        for cell, width, side in zip(row, widths, justify, strict=True):
            gap = " " * (width - cell_len(cell))
            line.append(" ")
            line.append(gap + cell if side == "r" else cell + gap, "dim" if side == "s" else "")
            line.append(" ")
        line.rstrip()
        yield line
